import { type FormEvent, type ReactNode, useState } from 'react';
import { asApiError, openSession } from '../api/index.ts';
import { useErrorWords } from '../i18n/errors.ts';
import { catalogue, useMessages } from '../i18n/index.ts';
import { useStore } from '../store/index.ts';
import { Alert, Button, Logo } from '../ui/index.ts';
import './signin.css';

const signIn = catalogue(
  {
    title: 'Sign in',
    text: 'This Galley asks for a token. An admin keeps them in GALLEY_TOKENS_FILE.',
    token: 'Token',
    enter: 'Sign in',
    refused: 'No such token is configured.',
    refusedWhy: 'Check that it is whole, or ask an admin for another.',
  },
  {
    title: '登录',
    text: '此 Galley 需要令牌。管理员在 GALLEY_TOKENS_FILE 中管理令牌。',
    token: '令牌',
    enter: '登录',
    refused: '没有配置这个令牌。',
    refusedWhy: '请检查是否完整，或向管理员索取新令牌。',
  },
);

/** One field for the token, one button. */
export function SignIn(): ReactNode {
  const messages = useMessages(signIn);
  const words = useErrorWords();
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      useStore.getState().sessionRead(await openSession(token.trim()));
    } catch (error) {
      setFailure(asApiError(error).code);
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy && token.trim() !== '') void submit();
  };
  return (
    <main className="sign-in">
      <form className="sign-in-form" onSubmit={onSubmit}>
        <p className="sign-in-brand">
          <Logo size={28} /> Galley
        </p>
        <h1 className="type-empty">{messages.title}</h1>
        <p className="sign-in-text type-control">{messages.text}</p>
        {failure !== null && (
          <Alert
            kind="error"
            role="alert"
            what={failure === 'unauthorized' ? messages.refused : words(failure).title}
            why={failure === 'unauthorized' ? messages.refusedWhy : words(failure).remedy}
          />
        )}
        <label className="dialog-field type-control">
          <span>{messages.token}</span>
          <input
            className="input"
            type="password"
            autoComplete="current-password"
            autoFocus
            value={token}
            aria-invalid={failure !== null || undefined}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <Button kind="primary" type="submit" busy={busy}>
          {messages.enter}
        </Button>
      </form>
    </main>
  );
}
