// A program that cannot leave anything running behind it. It is started below a small parent that Linux gives every
// orphan to (a child subreaper, prctl(2)): a process that has left its session, its parents and its environment is still
// a descendant of that parent, which ends all of them when the program has ended, when it is told to end, and when the
// process that started it is gone.
//
// The parent is a few lines of Perl, because Node has no prctl, and Perl is there wherever git is. Where it is not, or
// the system is not Linux, the program is started as it is: what it leaves is then found by its environment alone.

import { existsSync, readFileSync } from "node:fs";
import { BEHIND } from "./priority.ts";

export interface Contained {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

export interface ContainOptions {
  /** Between the polite signal and the hard one. */
  readonly graceMs: number;
}

export function contained(
  { program, args, env }: Contained,
  { graceMs }: ContainOptions,
  { platform, arch, perl } = HERE,
): Contained {
  const prctl = platform === "linux" ? PRCTL[arch] : undefined;
  if (prctl === undefined || perl === undefined) return { program, args, env };
  // What changes how Perl itself starts is for the program, and is put back for it.
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
      // It would complain about a locale that is not installed.
      PERL_BADLANG: "0",
    },
  };
}

/** A program that was started here, and the parent it has where it is contained. */
export function ownProcesses(pid: number): number[] {
  const words = readOr(`/proc/${pid}/cmdline`).split("\0");
  if (!words.includes(SUPERVISOR)) return [pid];
  // In the order in which they came: orphans follow later.
  const [program = ""] = readOr(`/proc/${pid}/task/${pid}/children`).split(" ");
  return program === "" ? [pid] : [pid, Number(program)];
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended, or this is not Linux.
    return "";
  }
}

/** Where systems have it; an agent has no say in that. */
const PERLS = ["/usr/bin/perl", "/bin/perl", "/usr/local/bin/perl"];

const HERE: { platform: string; arch: string; perl: string | undefined } = {
  platform: process.platform,
  arch: process.arch,
  perl: PERLS.find((path) => existsSync(path)),
};

/** The number of the system call, which differs by processor. */
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
 * Short, because a hook script carries it, and without a module: it starts in three milliseconds. In its order:
 *
 * - It takes its place behind others before the program starts, which inherits it: set from outside, it could come too late.
 * - prctl(36) takes in orphans; prctl(1) asks for SIGTERM when the process that started this one is gone, and for the
 *   program for SIGKILL when this one is.
 * - The pipes are closed here, so that whoever reads sees their end when the program has closed its own.
 * - `reap` takes note of who has ended, and is negative when there is no child left; `below` are all descendants that
 *   live; `sweep` ends them, politely in its first rounds.
 * - A signal to end is passed on to the program, which has its grace. One that comes just before a wait would only be
 *   seen after it: the alarm looks for it each second.
 * - It ends as the program did.
 *
 * `$p` number of prctl, `$o` process that started this one, `$g` rounds of grace, `@u` variables to put back, `$m` this
 * process, `$c` the program, `$s` how it ended, `$e` whether it is being ended.
 */
const SUPERVISOR = String.raw`
my($p,$o,$g,$u)=splice@ARGV,0,4;
my@u=splice@ARGV,0,$u;
my($m,$s,$e)=$$;
setpriority 0,0,${BEHIND} if getpriority(0,0)<${BEHIND};
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
exit$s>>8 unless$s&127;
$SIG{$_}='DEFAULT'for keys%SIG;
kill$s&127,$$;
sleep 1`;
