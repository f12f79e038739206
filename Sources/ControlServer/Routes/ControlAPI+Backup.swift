import ControlProtocol
import ControlSurface
import HTTPTypes
import Hummingbird
import Lighting
import NIOCore

/// `/v1/backup`: makes a backup, and restores one.
extension ControlAPI {
    func makeBackup(_ request: APIRequest) async throws -> Response {
        let withKeys = try request.flag(.keys)
        return try await read(request, weight: 8) { [self] in
            let bytes = try await audit.recording(withKeys ? .backupWithKeys : .backup, by: request.admission.sender) {
                do {
                    return try await backups.make(withKeys, surface.version, surface.clock.now())
                } catch let error as BackupError {
                    throw error.reply
                }
            }
            return Response(
                status: .ok, headers: [.contentType: Routes.backupType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    /// Answers before lightd begins anew with what was restored.
    func restoreBackup(_ request: APIRequest) async throws -> Response {
        let isDryRun = try request.flag(.dryRun)
        let body = try await body(of: request, upTo: Routes.longestBackup)
        let permit = try commands.enter(nil, "commands wait for their outcome")
        defer { withExtendedLifetime(permit) {} }
        // Reading a large one takes a while, in which others are answered.
        let summary = try await withTaskExecutorPreference(bulk) { [backups, audit] in
            do {
                guard !isDryRun else { return try await backups.examine([UInt8](body)) }
                return try await audit.recording(.restore, by: request.admission.sender) {
                    try await backups.restore([UInt8](body))
                }
            } catch let error as BackupError {
                throw error.reply
            }
        }
        return try .json(BackupBody(summary), status: isDryRun ? .ok : .accepted)
    }
}

extension BackupError {
    fileprivate var reply: ErrorReply {
        switch self {
        case let .wrongFile(reason):
            ErrorReply(.wrongFile, "the backup cannot be restored: \(reason)", hint: "nothing was changed")
        case let .newer(version):
            ErrorReply(
                .wrongFile, "the backup was made by a newer lightd (\(version))",
                hint: "restore it with that version; nothing was changed")
        case let .database(reason):
            ErrorReply(
                .notSaved, "the backup cannot be made or restored: \(reason)", hint: "'lightctl doctor' shows more")
        }
    }
}

extension BackupBody {
    init(_ summary: BackupSummary) {
        self.init(
            created: summary.created.iso8601, version: summary.version, keys: summary.hasKeys,
            contents: Counts(summary.contents), replaced: Counts(summary.replaced), withoutKey: summary.withoutKey,
            unpaired: summary.unpaired)
    }
}

extension BackupBody.Counts {
    fileprivate init(_ counts: BackupSummary.Counts) {
        self.init(
            bridges: counts.bridges, scenes: counts.scenes, automations: counts.automations, timers: counts.timers,
            pins: counts.pins, bindings: counts.bindings, curves: counts.curves, followings: counts.followings,
            tokens: counts.tokens)
    }
}
