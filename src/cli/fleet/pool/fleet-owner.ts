// The owner of a task while the fleet has it, as `saga task list` shows it. A pool of this machine leaves such a task alone.

const FLEET = "fleet";

export const fleetOwner = (machine: string | undefined): string =>
  machine === undefined ? FLEET : `${FLEET}: ${machine}`;

export const isOnFleet = (owner: string | undefined): boolean =>
  owner === FLEET || (owner?.startsWith(`${FLEET}: `) ?? false);
