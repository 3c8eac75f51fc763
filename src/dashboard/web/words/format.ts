// Formats numbers and times for people. Pure; the clock is passed in.

import { usd } from "../../../text/usd.ts";

/** Short, for columns: no cents of nothing, nor of thousands. */
export function money(amount: number, isEstimate = false): string {
  if (amount === 0) return "$0";
  if (amount < 1000) return usd(amount, isEstimate);
  return `${isEstimate ? "~" : ""}$${thousands(amount)}`;
}

export const thousands = (number: number): string =>
  String(Math.round(number)).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

/** 950, 12.3k, 4.1M */
export function tokens(number: number): string {
  if (number < 1000) return String(number);
  if (number < 999_950) return `${(number / 1000).toFixed(number < 99_950 ? 1 : 0)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

/** The two largest units: 45s, 3m 20s, 2h 5m, 3d 4h. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "m", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(hours, "h", minutes % 60, "m");
  return joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

const joined = (large: number, one: string, small: number, other: string): string =>
  small === 0 ? `${large}${one}` : `${large}${one} ${small}${other}`;

/** One unit. A time slightly in the future, from another clock, is "just now". */
export function ago(at: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(at)) / 1000);
  if (Number.isNaN(seconds)) return at;
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}

export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${thousands(number)} ${number === 1 ? noun : plural}`;

/** 07:05:09, in local time. */
export function clock(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 100);
