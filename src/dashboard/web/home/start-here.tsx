import { useEntity } from "../live/hooks.ts";
import { Command } from "../parts/copy.tsx";

const STEPS = [
  {
    title: "Write a story",
    text: "Describe the goal. A story without tasks runs as one task; in Claude Code, /saga:plan writes a full plan.",
    commands: ['saga new story add-login --description "People sign in with mail and password."'],
  },
  {
    title: "Run it",
    text: "It runs in its own worktree and session, and appears here at once.",
    commands: ["saga run add-login"],
  },
] as const;

/** Home of an empty project. */
export function StartHere() {
  const project = useEntity("project", "project");
  return (
    <div className="mx-auto max-w-2xl px-4 pt-10 pb-24 md:pt-20">
      <h1 className="text-2xl font-semibold tracking-[-0.02em]">Nothing here yet</h1>
      <p className="mt-1.5 text-soft">
        Run these two commands in <code className="font-mono text-xs">{project?.folder}</code>.
      </p>
      <ol className="mt-8 space-y-7">
        {STEPS.map(({ title, text, commands }, at) => (
          <li key={title} className="flex gap-4">
            <span
              aria-hidden="true"
              className="figure flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-wash text-sm font-semibold text-accent"
            >
              {at + 1}
            </span>
            <div className="min-w-0 flex-1">
              <h2 className="font-medium">{title}</h2>
              <p className="mb-2 text-sm text-soft">{text}</p>
              <div className="space-y-1.5">
                {commands.map((command) => (
                  <Command key={command}>{command}</Command>
                ))}
              </div>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
