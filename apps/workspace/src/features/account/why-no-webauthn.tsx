import type { JSX } from 'react'
import { Notice } from '../../components/notice.tsx'
import { textLinkClass } from '../../components/text-link.tsx'
import type { WebAuthnSupport } from '../../lib/webauthn-support.ts'
import { securityMessages as words } from '../../messages/account-security.ts'

/** Explains why this page cannot create passkeys or security keys, and which one can. */
export function WhyNoWebAuthn({
  support,
}: {
  readonly support: Exclude<WebAuthnSupport, { kind: 'yes' }>
}): JSX.Element {
  if (support.kind !== 'ip_address') return <Notice title={words.whyNoWebAuthn[support.kind]} />
  return (
    <Notice title={words.whyNoWebAuthn.ip_address}>
      {support.link === undefined ? (
        words.whyNoWebAuthn.ip_address_elsewhere
      ) : (
        <>
          <a href={support.link} className={textLinkClass}>
            {words.openOnLocalhost}
          </a>{' '}
          {words.openOnLocalhostDetail}
        </>
      )}
    </Notice>
  )
}
