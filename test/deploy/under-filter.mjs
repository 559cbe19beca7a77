// Becomes another program that may make the system calls of a list and gets EPERM from all others, as
// systemd's SystemCallFilter= does it. Words: the list's file, then the program with its arguments. It
// must not know which calls are on the list. Does I/O: it changes what this process may do.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [listFile, program, ...args] = process.argv.slice(2);
const koffi = createRequire("/opt/meridian/package.json")("koffi");

// seccomp(2), seccomp_init(3)
const allow = 0x7fff_0000;
const refuse = 0x0005_0000 | 1;

const seccomp = koffi.load("libseccomp.so.2");
const init = seccomp.func("void *seccomp_init(uint32_t action)");
const resolve = seccomp.func("int seccomp_syscall_resolve_name(const char *name)");
const add = seccomp.func(
  "int seccomp_rule_add_array(void *filter, uint32_t action, int call, uint32_t count, void *rules)",
);
const load = seccomp.func("int seccomp_load(void *filter)");
const libc = koffi.load("libc.so.6");
const control = libc.func("int fcntl(int descriptor, int command, ...)");
const exec = libc.func("int execv(const char *path, const char **args)");

// Node lets no program that follows it have its input and outputs.
const setFlags = 2;
for (const descriptor of [0, 1, 2]) control(descriptor, setFlags, "int", 0);

const filter = init(refuse);
for (const name of readFileSync(listFile, "utf8").trim().split("\n")) {
  const call = resolve(name);
  // Calls of other machines have no number here.
  if (call >= 0 && add(filter, allow, call, 0, null) !== 0) throw new Error(`cannot allow ${name}`);
}
if (load(filter) !== 0) throw new Error("cannot load the filter");
exec(program, [program, ...args, null]);
throw new Error(`cannot run ${program}`);
