import { userInfo } from "node:os";
import type { Build } from "../../program/command.ts";
import { diagnose } from "../../doctor/checks.ts";
import type { Diagnosis } from "../../doctor/diagnosis.ts";
import { plain, type Paint } from "../../output/terminal.ts";

export const build: Build = (builder) =>
  builder.action(
    builder.command(
      "doctor",
      "Check machine and project, and say how to fix each problem. Changes nothing.",
      ["saga doctor", "saga doctor --json"],
      { 1: "something must be fixed first" },
    ),
    async ({ io, cwd }) => {
      const userId = process.platform === "win32" ? undefined : userInfo().uid;
      const diagnoses = await diagnose({ cwd, env: io.env, userId });
      const isHealthy = diagnoses.every(({ verdict }) => verdict !== "fail");
      return {
        json: { isHealthy, diagnoses },
        exitCode: isHealthy ? 0 : 1,
        text: (paint) => render(diagnoses, paint),
      };
    },
  );

function render(diagnoses: readonly Diagnosis[], paint: Paint): string {
  const width = Math.max(...diagnoses.map(({ name }) => name.length));
  const lines = diagnoses.flatMap(({ name, verdict, found, fix }) => [
    `${mark(verdict, paint)} ${name.padEnd(width)}  ${plain(found)}`,
    ...(fix === undefined ? [] : [`  ${"".padEnd(width)}  ${paint("dim", plain(fix))}`]),
  ]);
  return `${lines.join("\n")}\n`;
}

function mark(verdict: Diagnosis["verdict"], paint: Paint): string {
  switch (verdict) {
    case "ok":
      return paint("green", "✓");
    case "warn":
      return paint("yellow", "!");
    case "fail":
      return paint("red", "✗");
  }
}
