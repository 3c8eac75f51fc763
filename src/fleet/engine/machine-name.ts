// The name of a machine of a fleet: part of refs and of what people read, so it is checked wherever it arrives.

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const isMachineName = (name: unknown): name is string =>
  typeof name === "string" && name.length <= 60 && NAME.test(name);
