import Testing

/// Tests that start daemons. They run one after another, because one daemon keeps two cores busy.
@Suite(.serialized, .timeLimit(.minutes(5))) enum DaemonTestSuite {}
