# Runs a command that must not outlive the program that started it.
# usage: sh -c SCRIPT leash FOLDER COMMAND…, with a pipe from that program on standard input
#
# A word on the pipe: the command is killed. The end of the pipe without one: that program is gone, however it died, so
# the command is killed and FOLDER, which nobody else can remove any more, with it. Exits as the command did.
folder=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
command=$!
{
    if read -r word <&3; then gone=0; else gone=1; fi
    trap '' TERM # from here on this verdict is wanted
    kill -KILL "$command" 2>/dev/null
    exit "$gone"
} &
watch=$!
wait "$command" 2>/dev/null # or some shells tell the log how it ended
status=$?
kill -TERM "$watch" 2>/dev/null
wait "$watch" 2>/dev/null
if [ "$?" -eq 1 ]; then rm -rf "$folder"; fi
exit "$status"
