import { ROUTES } from '@galley/contract';
import type { ReactNode } from 'react';
import { closeSession } from '../../api/index.ts';
import { common, LANGUAGE_NAMES, LANGUAGES, useMessages } from '../../i18n/index.ts';
import { useShowFailure } from '../../parts/failure.ts';
import { useStore } from '../../store/index.ts';
import { THEMES } from '../../store/preferences.ts';
import { Checkbox, Facts, SectionHead, Segments } from '../../ui/index.ts';
import { system } from './messages.ts';

function Identity(): ReactNode {
  const messages = useMessages(system);
  const { role: roles } = useMessages(common);
  const { authenticated, role, userId } = useStore((state) => state.session);
  const showFailure = useShowFailure();
  const ended = useStore((state) => state.sessionEnded);
  const signOut = async (): Promise<void> => {
    try {
      await closeSession();
      ended('signedOut');
    } catch (error) {
      showFailure(error);
    }
  };
  if (!authenticated) return messages.localOwner;
  return (
    <span className="system-identity">
      {userId === null ? roles[role] : `${userId}, ${roles[role]}`}
      <button type="button" className="link" onClick={() => void signOut()}>
        {messages.signOut}
      </button>
    </span>
  );
}

/** Language, theme and keys: kept by this browser, for whoever sits at it. */
export function BrowserSettings(): ReactNode {
  const messages = useMessages(system);
  const preferences = useStore((state) => state.preferences);
  const preferred = useStore((state) => state.preferred);
  const languages = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }));
  const themes = THEMES.map((value) => ({ value, label: messages.themes[value] }));
  return (
    <section>
      <SectionHead title={messages.browser} meta={messages.browserMeta} />
      <Facts
        facts={[
          {
            id: 'language',
            label: messages.language,
            value: (
              <Segments
                label={messages.language}
                value={preferences.language}
                choices={languages}
                onChoose={(language) => preferred({ language })}
              />
            ),
          },
          {
            id: 'theme',
            label: messages.theme,
            value: (
              <Segments label={messages.theme} value={preferences.theme} choices={themes} onChoose={(theme) => preferred({ theme })} />
            ),
          },
          {
            id: 'keys',
            label: messages.singleKeys,
            value: (
              <>
                <Checkbox
                  labelled
                  label={preferences.singleKeys ? messages.on : messages.off}
                  checked={preferences.singleKeys}
                  onChange={(singleKeys) => preferred({ singleKeys })}
                />
                <p className="system-why type-meta">{messages.singleKeysWhy}</p>
              </>
            ),
          },
          { id: 'identity', label: messages.signedIn, value: <Identity /> },
        ]}
      />
    </section>
  );
}

const LINKS = {
  docs: '/docs',
  openapi: ROUTES.getOpenApi.path,
  metrics: ROUTES.getMetrics.path,
  health: ROUTES.getHealth.path,
  ready: ROUTES.getReadiness.path,
} as const;
const LINK_IDS = ['docs', 'openapi', 'metrics', 'health', 'ready'] as const satisfies (keyof typeof LINKS)[];

/** Where programs ask. */
export function ApiLinks(): ReactNode {
  const messages = useMessages(system);
  return (
    <section>
      <SectionHead title={messages.api} />
      <Facts
        facts={LINK_IDS.map((id) => ({
          id,
          label: messages.apiLinks[id],
          value: (
            <a className="link" href={LINKS[id]} target="_blank" rel="noreferrer">
              <code className="type-code">{LINKS[id]}</code>
            </a>
          ),
        }))}
      />
    </section>
  );
}
