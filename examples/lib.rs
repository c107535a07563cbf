//! Small runnable programs over `partitioner`; each is listed in this folder's README.
