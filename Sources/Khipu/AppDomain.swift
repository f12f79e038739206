/// Joins features and receivers into one input that hands each message to every one of them, in order.
///
/// Receivers come last. They only listen (a journal, a waiting caller, a user interface) and own no vocabulary.
public func makeAppDomain<Message>(
    features: [Input<Message>],
    receivers: [Input<Message>] = []
) -> Input<Message> {
    let inputs = features + receivers
    return { message in
        for input in inputs { input(message) }
    }
}

/// Joins a domain under a wider message type, so that an application can consist of several domains with a language
/// each. Messages are translated on their way in and on their way out.
///
/// - Parameters:
///   - create: makes the narrow domain (or feature) around an output of its own language.
///   - output: where the wide messages go.
///   - narrowing: the narrow message inside a wide one; `nil` if the message is not for the narrow domain.
///   - widening: a narrow message in the wide language.
///
/// Law: `narrowing(widening(m)) == m` for every narrow `m`; otherwise a domain would not receive its own responses.
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
