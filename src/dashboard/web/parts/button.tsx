import type { ButtonHTMLAttributes } from "react";

export type ButtonLook = "main" | "plain" | "quiet" | "danger";

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  main: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "border border-line bg-surface text-ink shadow-card hover:border-edge hover:bg-hover",
  quiet: "text-soft hover:bg-hover hover:text-ink",
  danger: "border border-line bg-surface text-bad shadow-card hover:border-bad hover:bg-bad-wash",
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly isBusy?: boolean;
}

/** Stays focusable while busy: a disabled button would lose the keyboard focus. */
export function Button({
  look = "plain",
  isBusy = false,
  className = "",
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type === "submit" ? "submit" : "button"}
      aria-busy={isBusy}
      onClick={isBusy ? undefined : onClick}
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-lg px-3 text-[0.8667rem] font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-busy:opacity-60 ${LOOKS[look]} ${className}`}
    />
  );
}
