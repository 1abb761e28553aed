// Runs before the first paint, so that a dark page never flashes light. The keys are those of src/store/preferences.ts.
(() => {
  const root = document.documentElement;
  let saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('galley.preferences') || '{}') || {};
  } catch {
    // Storage may be closed to us, or hold what is not JSON: the system's own choice stands.
  }
  const dark = saved.theme === 'dark' || (saved.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  const chinese = saved.language === 'zh' || (saved.language !== 'en' && /^zh\b/i.test(navigator.language));
  root.lang = chinese ? 'zh-CN' : 'en';
})();
