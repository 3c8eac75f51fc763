// The theme that was chosen here before; without one the system decides.
try {
  const theme = localStorage.getItem("saga-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system decides.
}
