/** `1 story`, `2 stories`: the number with its noun. */
export const count = (number: number, thing: string, things = `${thing}s`): string =>
  `${number} ${number === 1 ? thing : things}`;
