import { type JSX, useState } from 'react'
import type { ConsoleSession } from '@holdfast/protocol'
import { Notice } from '@holdfast/workspace'
import { forgetKey, invitationKey } from '../../lib/first-key.ts'
import { AcceptInvitation } from './accept-invitation.tsx'
import { CodeForm } from './code-form.tsx'
import { EntryFrame } from './entry-frame.tsx'
import { PasswordForm } from './password-form.tsx'

/** Everything before the first screen: invitation, password, second factor. */
export function SignIn({ session }: { readonly session: ConsoleSession }): JSX.Element {
  const [key, setKey] = useState(invitationKey)
  if (key !== undefined)
    return (
      <AcceptInvitation
        invitationKey={key}
        projectName={session.projectName}
        onDone={() => {
          forgetKey()
          setKey(undefined)
        }}
      />
    )
  if (session.state === 'incomplete') return <CodeForm projectName={session.projectName} />
  if (session.hasOperators) return <PasswordForm projectName={session.projectName} />
  return (
    <EntryFrame title="Console" projectName={session.projectName}>
      <Notice title="Nobody can sign in yet">
        Open the link that the server printed when it started, or create one with{' '}
        <code className="font-mono text-mono">holdfast console invite you@example.com --role owner</code>.
      </Notice>
    </EntryFrame>
  )
}
