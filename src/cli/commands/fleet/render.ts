// What people read about a fleet.

import type { MachineView } from "../../../fleet/engine/machines.ts";
import type { FleetStory, FleetView } from "../../../fleet/view/read-fleet.ts";
import { fleetWorkText } from "../../../story/state/fleet-work.ts";
import { columns, type Paint } from "../../output/terminal.ts";

/** `unmerged`: stories that are done for the queue, and wait for people to merge them. */
export function renderStatus(view: FleetView, unmerged: readonly string[], paint: Paint): string {
  const stories = view.stories.filter(({ queue, machine }) => queue !== "done" || machine);
  const all = view.stories.filter(({ queue }) => queue === "done").length;
  const done = all - unmerged.length;
  return [
    `Fleet ${paint("bold", view.fleet)}; this machine is ${view.machine}`,
    "",
    ...machineLines(view.machines, paint),
    "",
    ...columns([
      ...stories.map((story) => [story.story, withCommand(story)]),
      ...unmerged.map((id) => [id, `passed its gate: \`saga merge ${id}\``]),
    ]),
    ...(done > 0 ? [`${done} done`] : []),
    "",
  ].join("\n");
}

/** What a person reads next about a story that waits for them. */
function withCommand(story: FleetStory): string {
  const about = fleetWorkText(story);
  if (story.parked === undefined || story.machine !== undefined) return about;
  const next =
    story.parked === "person" || story.epic === undefined
      ? `saga show ${story.story}`
      : `saga epic run ${story.epic} --fleet`;
  return `${about}: \`${next}\``;
}

export const renderMachines = (machines: readonly MachineView[], paint: Paint): string =>
  `${machineLines(machines, paint).join("\n")}\n`;

function machineLines(machines: readonly MachineView[], paint: Paint): string[] {
  if (machines.length === 0) return ["No machine has joined: `saga fleet join`"];
  return columns(
    machines.map(({ name, state, slots, labels, isDraining }) => [
      `${paint(state === "joined" ? "green" : "dim", "●")} ${name}`,
      isDraining && state === "joined" ? "draining" : state,
      slots === 1 ? "1 slot" : `${slots} slots`,
      labels.join(", "),
    ]),
  );
}
