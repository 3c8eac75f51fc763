// A program that cannot leave anything running behind it. It is started below a small parent that Linux gives every
// orphan to (a child subreaper, prctl(2)): a process that has left its session, its parents and its environment is still
// a descendant of that parent, which ends all of them when the program has ended, when it is told to end, and when the
// process that started it is gone.
//
// The parent is a few lines of Perl, because Node has no prctl, and Perl is there wherever git is. Where it is not, or
// the system is not Linux, the program is started as it is: what it leaves is then found by its environment alone.

import { existsSync } from "node:fs";

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
 * - prctl(36) takes in orphans; prctl(1) asks for SIGTERM when the process that started this one is gone, and for the
 *   program for SIGKILL when this one is.
 * - The pipes are closed here, so that whoever reads sees their end when the program has closed its own.
 * - `reap` takes note of who has ended, and is negative when there is no child left; `below` are all descendants that
 *   live; `sweep` ends them, politely in its first rounds.
 * - A signal to end is passed on to the program, which has its grace. One that comes just before a wait would only be
 *   seen after it: the alarm looks for it each second.
 * - It ends as the program did.
 */
const SUPERVISOR = String.raw`
my($prctl,$parent,$grace,$put)=splice@ARGV,0,4;
my@put=splice@ARGV,0,$put;
my($self,$status,$ending)=$$;
syscall$prctl,36,1,0,0,0;
syscall$prctl,1,15,0,0,0;
my$child=fork//exit 126;
if(!$child){
syscall$prctl,1,9,0,0,0;
exit 126 if getppid!=$self;
delete$ENV{PERL_BADLANG};
for(@put){my($name,$value)=split/=/,$_,2;$ENV{$name}=$value}
exec{$ARGV[0]}@ARGV;
print STDERR"$ARGV[0]: $!\n";
exit 127
}
close$_ for*STDIN,*STDOUT,*STDERR;
sub nap{select undef,undef,undef,.02}
sub reap{my$pid;while(($pid=waitpid-1,1)>0){$status=$?if$pid==$child}$pid}
sub below{
my%of;
for(</proc/[0-9]*>){open my$file,"$_/stat"or next;local$/;push@{$of{$2}},$1 if<$file>=~/^(\d+).*\) [^ZX] (\d+) /s}
my@found=@{$of{$$}||[]};
for(my$at=0;$at<@found;$at++){push@found,@{$of{$found[$at]}||[]}}
@found
}
sub sweep{
my$soft=shift;
for my$round(0..$soft+250){
return if reap()<0;
kill$round<$soft?15:9,below()if!$round||$round>=$soft;
nap
}
}
$SIG{TERM}=$SIG{INT}=$SIG{HUP}=sub{
return if$ending++;
kill$_[0],$child;
for(1..$grace){reap();last if defined$status;nap}
sweep 0
};
$SIG{ALRM}=sub{alarm 1};
alarm 1;
kill 15,$$ if getppid!=$parent;
until(defined$status){my$pid=waitpid-1,0;$status=$?if$pid==$child;last if$pid<0}
$ending++;
sweep$grace;
exit$status>>8 unless$status&127;
$SIG{$_}='DEFAULT'for keys%SIG;
kill$status&127,$$;
sleep 1`;
