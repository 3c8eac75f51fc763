import { localDay } from "../../text/local-day.ts";

/** The local time of day, with the date in front when it is not today: `21:48:05`, `2026-11-15 21:48:05`. */
export function stampOf(at: string, nowMs: number): string {
  const date = new Date(at);
  const time = two([date.getHours(), date.getMinutes(), date.getSeconds()]).join(":");
  const day = localDay(date.getTime());
  return day === localDay(nowMs) ? time : `${day} ${time}`;
}

const two = (numbers: readonly number[]): string[] =>
  numbers.map((number) => String(number).padStart(2, "0"));
