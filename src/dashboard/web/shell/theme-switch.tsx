import { Icon, type IconName } from "../parts/icon.tsx";
import { THEMES, useTheme, type Theme } from "./theme.ts";

const LOOKS: Readonly<Record<Theme, { icon: IconName; word: string }>> = {
  system: { icon: "system", word: "system" },
  light: { icon: "sun", word: "light" },
  dark: { icon: "moon", word: "dark" },
};

export function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  const label = `Theme: ${LOOKS[theme].word}. Switch to ${LOOKS[next].word}`;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => choose(next)}
      className="inline-flex size-8 items-center justify-center rounded-lg text-faint hover:bg-hover hover:text-ink"
    >
      <Icon name={LOOKS[theme].icon} />
    </button>
  );
}
