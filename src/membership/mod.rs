//! Who belongs to the cluster: ids, names, URLs.
