import Testing

@testable import LightDaemon

struct ProgramPagesTests {
    @Test(arguments: [
        ("5560f634a000-5560f80d3000 r-xp 00000000 fe:00 42                       /usr/bin/lightd\n", 0x1d89000 as Int?),
        ("7f0000000000-7f0000001000 r-xp 00026000 fe:00 7 /usr/lib/x86_64-linux-gnu/libc.so.6 (deleted)\n", 0x1000),
        ("7f0000000000-7f0000001000 r--p 00026000 fe:00 7 /usr/lib/x86_64-linux-gnu/libc.so.6\n", nil),
        ("7f0000000000-7f0000001000 rwxp 00026000 fe:00 7 /usr/lib/patched.so\n", nil),
        ("7ffc1a5f2000-7ffc1a5f4000 r-xp 00000000 00:00 0                          [vdso]\n", nil),
        ("7f0000000000-7f0000001000 r-xp 00000000 00:00 0\n", nil),
        ("no line of maps", nil),
    ])
    func `only code that comes from a file and is never written is dropped`(line: String, bytes: Int?) {
        #expect(ProgramPages.codeRange(inLine: line)?.count == bytes)
    }

    @Test func `a process goes on after its code was dropped`() {
        #expect(ProgramPages.drop() > 1 << 20, "the program and its libraries")
        #expect(String(repeating: "a", count: 3).uppercased() == "AAA", "code runs again")
    }
}
