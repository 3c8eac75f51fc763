// Runs a program so that it leaves no process behind. It is started below a small supervisor that adopts orphans (a
// child subreaper, prctl(2)): a process that left its session, parents and environment is still a descendant of the
// supervisor, which ends them all when the program exits, when it is told to stop, and when its own parent is gone.
//
// The supervisor is a few lines of Perl: Node has no prctl, and Perl is installed wherever git is. Without Perl or Linux
// the program starts directly, and leftovers are found by their environment alone.

import { existsSync } from "node:fs";
import type { Environment } from "./environment.ts";
import { LOW_PRIORITY } from "./priority.ts";
import { readProc } from "./process-tree.ts";

export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Environment;
}

export interface ContainOptions {
  /** Between the polite signal and the hard one. */
  readonly graceMs: number;
}

export function containedCommand(
  { program, args, env }: ProgramCommand,
  { graceMs }: ContainOptions,
  { platform, arch, perl } = HERE,
): ProgramCommand {
  const prctl = platform === "linux" ? PRCTL[arch] : undefined;
  if (prctl === undefined || perl === undefined) return { program, args, env };
  // PERL* variables would change how the supervisor itself starts: it passes them on to the program.
  const isPerls = ([name, value]: [string, string | undefined]): boolean =>
    name.startsWith("PERL") && value !== undefined;
  const variables = Object.entries(env);
  const put = variables.filter(isPerls).map(([name, value]) => `${name}=${value}`);
  const rounds = Math.ceil(graceMs / ROUND_MS);
  const words = [prctl, process.pid, rounds, put.length].map(String);
  return {
    program: perl,
    args: ["-e", SUPERVISOR, ...words, ...put, program, ...args],
    env: {
      ...Object.fromEntries(variables.filter((one) => !isPerls(one))),
      // No warning about a locale that is not installed.
      PERL_BADLANG: "0",
    },
  };
}

/** The pid of a program started here; for a contained one, of the supervisor and the program. */
export function programPids(pid: number): number[] {
  const words = readProc(`/proc/${pid}/cmdline`).split("\0");
  if (!words.includes(SUPERVISOR)) return [pid];
  // In the order of creation: adopted orphans come later.
  const [program = ""] = readProc(`/proc/${pid}/task/${pid}/children`).split(" ");
  return program === "" ? [pid] : [pid, Number(program)];
}

/** Fixed paths: an agent can change PATH. */
const PERLS = ["/usr/bin/perl", "/bin/perl", "/usr/local/bin/perl"];

const HERE: { platform: string; arch: string; perl: string | undefined } = {
  platform: process.platform,
  arch: process.arch,
  perl: PERLS.find((path) => existsSync(path)),
};

/** The number of the system call, by processor. */
const PRCTL: Readonly<Record<string, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  ia32: 172,
  arm: 172,
  s390x: 172,
  ppc64: 171,
};

const ROUND_MS = 20;

/**
 * Short, because hook scripts include it, and without modules: it starts in three milliseconds. In order:
 *
 * - It lowers its priority before the program starts, which inherits it: set from outside, it could come too late.
 * - prctl(36) adopts orphans; prctl(1) requests SIGTERM when the parent of this process dies, and SIGKILL for the program
 *   when this process dies.
 * - It closes its pipes, so that the reader sees their end when the program closes its own.
 * - `reap` records exits and is negative without children; `below` lists all living descendants; `sweep` ends them, with
 *   SIGTERM in its first rounds.
 * - It forwards a signal to the program, which gets its grace time. A signal just before a wait would only be seen after
 *   it: the alarm interrupts the wait each second.
 * - It exits as the program did. Perl resets its handlers before that: an alarm then would end it instead.
 *
 * `$p` number of prctl, `$o` the parent, `$g` rounds of grace, `@u` variables to restore, `$m` this process, `$c` the
 * program, `$s` its exit status, `$e` whether it is being ended.
 */
const SUPERVISOR = String.raw`
my($p,$o,$g,$u)=splice@ARGV,0,4;
my@u=splice@ARGV,0,$u;
my($m,$s,$e)=$$;
setpriority 0,0,${LOW_PRIORITY} if getpriority(0,0)<${LOW_PRIORITY};
syscall$p,36,1,0,0,0;
syscall$p,1,15,0,0,0;
my$c=fork//exit 126;
if(!$c){
syscall$p,1,9,0,0,0;
exit 126 if getppid!=$m;
delete$ENV{PERL_BADLANG};
for(@u){my($n,$v)=split/=/,$_,2;$ENV{$n}=$v}
exec{$ARGV[0]}@ARGV;
print STDERR"$ARGV[0]: $!\n";
exit 127
}
close$_ for*STDIN,*STDOUT,*STDERR;
sub nap{select undef,undef,undef,.02}
sub reap{my$q;while(($q=waitpid-1,1)>0){$s=$?if$q==$c}$q}
sub below{
my%l;
for(</proc/[0-9]*>){open my$h,"$_/stat"or next;local$/;push@{$l{$2}},$1 if<$h>=~/^(\d+).*\) [^ZX] (\d+) /s}
my@d=@{$l{$$}||[]};
for(my$i=0;$i<@d;$i++){push@d,@{$l{$d[$i]}||[]}}
@d
}
sub sweep{
my$f=shift;
for my$r(0..$f+250){
return if reap()<0;
kill$r<$f?15:9,below()if!$r||$r>=$f;
nap
}
}
$SIG{TERM}=$SIG{INT}=$SIG{HUP}=sub{
return if$e++;
kill$_[0],$c;
for(1..$g){reap();last if defined$s;nap}
sweep 0
};
$SIG{ALRM}=sub{alarm 1};
alarm 1;
kill 15,$$ if getppid!=$o;
until(defined$s){my$q=waitpid-1,0;$s=$?if$q==$c;last if$q<0}
$e++;
sweep$g;
$SIG{ALRM}='IGNORE';
alarm 0;
exit$s>>8 unless$s&127;
$SIG{$_}='DEFAULT'for keys%SIG;
kill$s&127,$$;
sleep 1`;
