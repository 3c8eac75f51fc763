// Notifications of the browser. Off until a person asks for them here; only while they look elsewhere.

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useDerived, useHasSnapshot } from "../live/hooks.ts";
import { Icon } from "../parts/icon.tsx";
import { readStored, writeStored } from "../shell/browser-storage.ts";
import { newNotices, noticesIn, type BrowserNotice } from "./notices.ts";

const KEY = "saga-notify";

type Permission = "on" | "off" | "denied";

const LABELS: Readonly<Record<Permission, string>> = {
  off: "Notify me in this browser when something needs me",
  on: "Browser notifications are on. Turn off",
  denied: "The browser blocks notifications of this page",
};

export function NotifySwitch() {
  const [state, setState] = useState(permission);
  const toggle = async (): Promise<void> => {
    const isWanted = state !== "on" && (await Notification.requestPermission()) === "granted";
    writeStored(KEY, isWanted ? "on" : "off");
    setState(permission());
  };
  if (!("Notification" in window)) return null;
  return (
    <button
      type="button"
      aria-label={LABELS[state]}
      title={LABELS[state]}
      aria-pressed={state === "on"}
      disabled={state === "denied"}
      onClick={() => void toggle()}
      className="inline-flex size-8 items-center justify-center rounded-lg text-faint hover:bg-hover hover:text-ink aria-pressed:text-accent"
    >
      <Icon name={state === "on" ? "bell" : "bell-off"} />
    </button>
  );
}

function permission(): Permission {
  if (!("Notification" in window) || Notification.permission === "denied") return "denied";
  return Notification.permission === "granted" && readStored(KEY) === "on" ? "on" : "off";
}

/** Rendered once: two switches must not send a notification twice. */
export function Notifier() {
  const hasSnapshot = useHasSnapshot();
  const notices = useDerived(
    noticesIn,
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  const before = useRef<readonly BrowserNotice[]>(undefined);
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!hasSnapshot) return;
    // What needed a person when the page was opened is on the page.
    const added = before.current === undefined ? [] : newNotices(before.current, notices);
    before.current = notices;
    if (document.hasFocus() || permission() !== "on") return;
    for (const { key, title, body, href } of added) {
      const notification = new Notification(title, { body, tag: key, icon: "/favicon.svg" });
      notification.addEventListener("click", () => {
        window.focus();
        navigate(href);
        notification.close();
      });
    }
  }, [hasSnapshot, notices, navigate]);
  return null;
}
