import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { bundle } from "../../../test/support/programs.ts";
import { until } from "../../../test/support/until.ts";
import { containedCommand } from "./contain.ts";
import { startTimeOf } from "./process-id.ts";

/** Leaves its session, parents and environment, and writes its pid into a file. */
const DAEMON = (file: string): string =>
  `setsid env -i sh -c '(trap "" TERM HUP; echo $$ > ${file}.tmp; mv ${file}.tmp ${file}; exec sleep 1000) & exit' > /dev/null 2>&1 < /dev/null`;

const isAlive = (pid: number): boolean => startTimeOf(pid) !== undefined;

function start(script: string, env: Record<string, string> = {}): ChildProcess {
  const command = {
    program: "sh",
    args: ["-c", script],
    env: { PATH: process.env["PATH"], ...env },
  };
  const { program, args, env: given } = containedCommand(command, { graceMs: 200 });
  return spawn(program, [...args], { env: given, detached: true, stdio: "pipe" });
}

async function endOf(
  child: ChildProcess,
): Promise<{ code: unknown; signal: unknown; text: string }> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  }
  const [code, signal] = (await once(child, "close")) as unknown[];
  return { code, signal, text };
}

const numberIn = (file: string): number => Number(readFileSync(file, "utf8"));

describe.runIf(process.platform === "linux")("a contained program", () => {
  it("exits as it would without containment", async () => {
    expect(await endOf(start("echo out; exit 7"))).toEqual({
      code: 7,
      signal: null,
      text: "out\n",
    });
    expect(await endOf(start("kill -9 $$"))).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(await endOf(start("kill -TERM $$"))).toMatchObject({ code: null, signal: "SIGTERM" });
    const child = start("cat");
    child.stdin?.end("given\n");
    expect(await endOf(child)).toMatchObject({ code: 0, text: "given\n" });
  });

  it("gets its whole environment, including variables of Perl", async () => {
    const given = { PERL5OPT: "-Mnosuch=a=b", PERL5LIB: "/nowhere", LC_ALL: "xx_XX", X: "1\n2" };
    const script = 'printf "%s|" "$PERL5OPT" "$PERL5LIB" "$LC_ALL" "$X" "${PERL_BADLANG-unset}"';
    expect((await endOf(start(script, given))).text).toBe(
      "-Mnosuch=a=b|/nowhere|xx_XX|1\n2|unset|",
    );
  });

  it("has a low priority from its start", async () => {
    expect(Number((await endOf(start("nice"))).text)).toBeGreaterThanOrEqual(5);
  });

  it("leaves no daemon behind, and ends no other process", async () => {
    const file = join(newFolder("daemons").path, "pid");
    const other = spawn("sleep", ["1000"], { detached: true });
    const wait = `until [ -e ${file} ]; do :; done`;
    expect(await endOf(start(`${DAEMON(file)}; ${wait}; exit 3`))).toMatchObject({ code: 3 });
    expect(isAlive(numberIn(file))).toBe(false);
    expect(isAlive(other.pid ?? 0)).toBe(true);
    other.kill("SIGKILL");
  });

  it("is ended together with daemons that ignore signals", async () => {
    const file = join(newFolder("daemons").path, "pid");
    const child = start(`trap "" TERM; ${DAEMON(file)}; while :; do sleep 1; done`);
    await until(() => existsSync(file));
    child.kill("SIGTERM");
    await endOf(child);
    expect(isAlive(numberIn(file))).toBe(false);
  });

  it("ends when the process that started it is killed", async () => {
    const file = join(newFolder("daemons").path, "pid");
    const program = await bundle("test/support/processes/contained.ts");
    const starter = spawn(process.execPath, [program, `${DAEMON(file)}; sleep 1000`]);
    const [line] = (await once(starter.stdout, "data")) as [Buffer];
    await until(() => existsSync(file));
    starter.kill("SIGKILL");
    const supervisor = Number(line.toString());
    await until(() => !isAlive(supervisor));
    expect(isAlive(numberIn(file))).toBe(false);
  });
});

it("starts directly where it cannot be contained", () => {
  const command = { program: "sh", args: ["-c", "true"], env: { A: "1" } };
  const options = { graceMs: 1 };
  for (const here of [
    { platform: "darwin", arch: "arm64", perl: "/usr/bin/perl" },
    { platform: "linux", arch: "x64", perl: undefined },
    { platform: "linux", arch: "mips", perl: "/usr/bin/perl" },
  ]) {
    expect(containedCommand(command, options, here)).toEqual(command);
  }
});
