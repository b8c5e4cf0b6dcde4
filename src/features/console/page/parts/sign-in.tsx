import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, TextField } from './controls.js';
import { signIn, signInReason } from '../state/access.js';

/** The dialog that asks for a token, or for name and password, when the gateway requires them. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const kind = useSignal<'token' | 'password'>('password');
  const token = useSignal('');
  const username = useSignal('');
  const password = useSignal('');
  const reason = signInReason.value;
  useEffect(() => {
    if (reason !== undefined && dialog.current?.open === false) dialog.current.showModal();
    if (reason === undefined) dialog.current?.close();
  }, [reason]);
  const submit = (event: Event): void => {
    event.preventDefault();
    signIn(
      kind.value === 'token'
        ? { kind: 'token', token: token.value.trim() }
        : { kind: 'password', username: username.value, password: password.value },
    );
    [token.value, password.value] = ['', ''];
    onSignedIn();
  };
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-title" onClose={() => (signInReason.value = undefined)}>
      <form onSubmit={submit}>
        <h2 id="sign-in-title">Sign in</h2>
        <p>{reason} What you enter stays in this tab, and is gone when you close it.</p>
        <p class="choice">
          {(['password', 'token'] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="kind" checked={kind.value === each} onChange={() => (kind.value = each)} />{' '}
              {each === 'password' ? 'name and password' : 'token'}
            </label>
          ))}
        </p>
        {kind.value === 'token' ? (
          <TextField class="field" label="Token" isSecret autocomplete="off" required text={token} />
        ) : (
          <>
            <TextField class="field" label="Name" autocomplete="username" required text={username} />
            <TextField class="field" label="Password" isSecret autocomplete="current-password" text={password} />
          </>
        )}
        <p class="actions">
          <Button text="Sign in" type="submit" class="primary" />
          <Button text="Cancel" onClick={() => (signInReason.value = undefined)} />
        </p>
      </form>
    </dialog>
  );
}
