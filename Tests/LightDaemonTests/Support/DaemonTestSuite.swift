import Testing

/// Tests that start daemons, one after another: two cores have enough to do with one.
@Suite(.serialized, .timeLimit(.minutes(5))) enum DaemonTestSuite {}
