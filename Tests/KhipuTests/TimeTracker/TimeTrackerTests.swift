import Khipu
import Synchronization
import Testing

/// The time tracker from the article on Colibri and clean architecture: models, use cases, feature, domain, view model.
@DomainActor
struct TimeTrackerTests {
    private let nine = Timestamp(milliseconds: 9 * 3_600_000)
    private let ticket = Ticket(number: 1, holder: "screen", time: Timestamp(milliseconds: 0))

    @Test func `recording twice adds up, and a start while recording has no effect`() {
        let task = ProjectTask(id: "1", title: "Write")
            .alter(
                by: .recording(.start(id: "a", at: nine)),
                .recording(.start(id: "b", at: nine.advanced(by: .seconds(5)))),
                .recording(.stop(at: nine.advanced(by: .seconds(60)))),
                .recording(.stop(at: nine.advanced(by: .seconds(90)))),
                .recording(.start(id: "c", at: nine.advanced(by: .seconds(100))))
            )
        #expect(task.timeSlips.map(\.id) == ["a", "c"])
        #expect(task.isRecording)
        #expect(task.duration(at: nine.advanced(by: .seconds(130))) == .seconds(90))
    }

    @Test func `setting title, due date and state leaves the recorded time alone`() {
        let task = ProjectTask(id: "1", title: "Write").alter(by: .recording(.start(id: "a", at: nine)))
        let changed = task.alter(
            by: .setting(.title(to: "Read")), .setting(.dueDate(to: .date(nine))), .setting(.state(to: .inProgress))
        )
        #expect(changed.timeSlips == task.timeSlips)
        #expect(changed.title == "Read")
        #expect(changed.dueDate == .date(nine))
        #expect("\(changed.state)" == "in progress")
    }

    @Test func `a project adds, updates and removes its tasks by their ids`() {
        let write = ProjectTask(id: "1", title: "Write")
        let read = ProjectTask(id: "2", title: "Read")
        let project = Project(id: "p", title: "Book").alter(by: .adding(.task(write)), .adding(.task(read)))
        let renamed = write.alter(by: .setting(.title(to: "Draft")))
        #expect(project.alter(by: .updating(.task(renamed))).tasks == [renamed, read])
        #expect(project.alter(by: .adding(.task(write))).tasks == [read, write])
        #expect(project.alter(by: .removing(.task(write))).tasks == [read])
        #expect(project.alter(by: .removing(.task(read)), .updating(.task(read))).tasks == [write])
    }

    @Test func `the same changes lead to the same state`() {
        let changes: [TrackerState.Change] = [
            .adding(.project(Project(id: "p", title: "Book"))),
            .updating(
                .project(
                    Project(id: "p", title: "Novel").alter(by: .adding(.task(ProjectTask(id: "1", title: "Write")))))),
            .adding(.project(Project(id: "q", title: "Garden"))),
        ]
        func replay() -> TrackerState { changes.reduce(TrackerState()) { $0.alter(by: $1) } }
        #expect(replay() == replay())
        #expect(replay().projects.map(\.title) == ["Novel", "Garden"])
    }

    @Test func `adding, updating and removing flow from the screen to the disk and back to the screen`() async {
        let disk = Mutex<[TrackerState]>([])
        let store = createTrackerStore(
            persister: TrackerPersister(load: { TrackerState() }, save: { state in disk.withLock { $0.append(state) } })
        )
        let mailbox = Mailbox<TrackerMessage>()
        let recorder = Recorder<TrackerMessage>()
        let domain = createTrackerDomain(store: store, receivers: [recorder.input], output: mailbox.post)
        let screen = ProjectsViewModel(store: store, ticket: ticket, output: mailbox.post)

        let book = Project(id: "p", title: "Book")
        let novel = book.alter(by: .setting(.title(to: "Novel")))
        screen.add(book)
        screen.update(novel)
        let last: Input<TrackerMessage> = { message in
            domain(message)
            if message == .projects(.updated(novel), ticket: ticket) { screen.remove(novel) }
            if message == .projects(.removed(novel), ticket: ticket) { mailbox.close() }
        }
        await mailbox.deliver(to: last)

        #expect(
            recorder.messages
                == [.add(book), .update(novel), .added(book), .updated(novel), .remove(novel), .removed(novel)]
                .map { .projects($0, ticket: ticket) }
        )
        #expect(disk.withLock { $0.map { $0.projects.map(\.title) } } == [["Book"], ["Novel"], []])
        #expect(screen.titles.isEmpty)
        #expect(store.state() == TrackerState())
    }

    @Test func `the tracker starts with what was saved`() {
        let saved = TrackerState(projects: [Project(id: "p", title: "Book")])
        let store = createTrackerStore(persister: TrackerPersister(load: { saved }, save: { _ in }))
        #expect(ProjectsViewModel(store: store, ticket: ticket) { _ in }.titles == ["Book"])
    }
}
