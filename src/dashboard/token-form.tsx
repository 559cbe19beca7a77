// Asks for a token where the server wants one. It is kept for this tab alone, and sent to nobody but
// this server.

import { useState } from "preact/hooks";

export function TokenForm({
  reason,
  onToken,
}: {
  reason: string;
  onToken: (token: string) => void;
}) {
  const [token, setToken] = useState("");
  const isBare = location.protocol === "http:" && !isLoopback(location.hostname);
  return (
    <section class="panel token" aria-labelledby="token-title">
      <h2 id="token-title">This server wants a token</h2>
      <p role="alert">It says: {reason}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") onToken(token.trim());
        }}
      >
        <label for="token">Token with the role read</label>
        <div class="row">
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit">Use it</button>
        </div>
      </form>
      <p class="hint">
        It is kept until this tab is closed. <code>meridian token NAME --role read</code> makes one.
        {isBare && " This page came over plain HTTP: who is on the way can read the token."}
      </p>
    </section>
  );
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}
