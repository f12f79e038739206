/// The list of features and receivers as one input. Its only task: hand each message to every one of them, in order.
///
/// Receivers come last. They listen to everything that flows by (a journal, a waiting caller, a user interface)
/// and own no vocabulary.
public func makeAppDomain<Message>(
    features: [Input<Message>],
    receivers: [Input<Message>] = []
) -> Input<Message> {
    let listeners = features + receivers
    return { message in
        for listener in listeners { listener(message) }
    }
}

/// Joins a domain under a wider message type, so that an application may consist of several domains that each speak
/// their own language: what the narrow domain understands is translated on its way in, what it says on its way out.
///
/// - Parameters:
///   - create: makes the narrow domain (or feature) around an output of its own language.
///   - output: where the wide messages go.
///   - narrowing: the narrow message inside a wide one; `nil` where the narrow domain is not addressed.
///   - widening: a narrow message in the words of the wide language.
///
/// Law: `narrowing(widening(m)) == m` for every narrow `m`; otherwise a domain would not hear its own answers.
public func joined<Wide, Narrow>(
    _ create: (@escaping Output<Narrow>) -> Input<Narrow>,
    to output: @escaping Output<Wide>,
    narrowing: @escaping @Sendable (Wide) -> Narrow?,
    widening: @escaping @Sendable (Narrow) -> Wide
) -> Input<Wide> {
    let domain = create { output(widening($0)) }
    return { message in
        if let narrow = narrowing(message) { domain(narrow) }
    }
}
