//! The etcdctl command line: lexer, parser, commands, printers.
