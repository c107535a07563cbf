//! Small runnable programs over `partitioner`; each is listed in this folder's README.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct RootReadme;
