import { expect } from "vitest";

interface EndedCommand {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Waits for a command that must end with this exit code. If it does not, its output is in the failure. */
export async function expectExit<E extends EndedCommand>(
  code: number,
  command: Promise<E>,
): Promise<E> {
  const ended = await command;
  expect(ended.exitCode, `${ended.stdout}${ended.stderr}`).toBe(code);
  return ended;
}
