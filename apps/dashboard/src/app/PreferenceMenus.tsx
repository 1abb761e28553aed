import { Languages, Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { LANGUAGE_NAMES, LANGUAGES, useMessages } from '../i18n/index.ts';
import { useStore } from '../store/index.ts';
import { THEMES, type Theme } from '../store/preferences.ts';
import { IconButton, Menu, MenuChoices } from '../ui/index.ts';
import { frame } from './messages.ts';
import { useDrawnTheme } from './theme.ts';

export const THEME_ICONS: Readonly<Record<Theme, ReactNode>> = {
  system: <Monitor size={16} strokeWidth={1.75} aria-hidden="true" />,
  light: <Sun size={16} strokeWidth={1.75} aria-hidden="true" />,
  dark: <Moon size={16} strokeWidth={1.75} aria-hidden="true" />,
};

export function LanguageChoices(): ReactNode {
  const language = useStore((state) => state.preferences.language);
  const preferred = useStore((state) => state.preferred);
  return (
    <MenuChoices
      value={language}
      choices={LANGUAGES.map((value) => ({ value, label: <span lang={value}>{LANGUAGE_NAMES[value]}</span> }))}
      onChoose={(value) => preferred({ language: value })}
    />
  );
}

export function ThemeChoices(): ReactNode {
  const messages = useMessages(frame);
  const theme = useStore((state) => state.preferences.theme);
  const preferred = useStore((state) => state.preferred);
  return (
    <MenuChoices
      value={theme}
      choices={THEMES.map((value) => ({ value, label: messages.themes[value], icon: THEME_ICONS[value] }))}
      onChoose={(value) => preferred({ theme: value })}
    />
  );
}

export function LanguageMenu(): ReactNode {
  const messages = useMessages(frame);
  return (
    <Menu
      label={messages.language}
      side="top"
      align="end"
      trigger={<IconButton size="small" label={messages.language} icon={<Languages />} />}
    >
      <LanguageChoices />
    </Menu>
  );
}

export function ThemeMenu(): ReactNode {
  const messages = useMessages(frame);
  const drawn = useDrawnTheme();
  return (
    <Menu
      label={messages.theme}
      side="top"
      align="end"
      trigger={<IconButton size="small" label={messages.theme} icon={THEME_ICONS[drawn]} />}
    >
      <ThemeChoices />
    </Menu>
  );
}
