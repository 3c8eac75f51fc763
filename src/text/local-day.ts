/** The local date, as in `2026-11-15`. */
export const localDay = (ms: number): string => {
  const date = new Date(ms);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
};
