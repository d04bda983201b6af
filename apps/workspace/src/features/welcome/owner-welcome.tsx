import { useSession } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { LinkButton } from '../../components/link.tsx'
import { NewPasswordField } from '../../components/new-password-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import { UsernameEmailField } from '../../components/username-email-field.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { findEmailProblem } from '../../lib/auth/identifier.ts'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useGoOn } from '../../lib/auth/use-go-on.ts'
import { useWelcomeKey } from '../../lib/auth/welcome-key.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { createOwner } from '../../lib/data/start-workspace.ts'
import { findNewPasswordProblem } from '../../lib/password-rules.ts'
import { passwordMessages } from '../../messages/password.ts'
import { signUpMessages } from '../../messages/sign-up.ts'
import { ownerMessages as words } from '../../messages/welcome.ts'
import { StartWorkspaceForm, WORKSPACE_CHARS_MAX } from './start-workspace-form.tsx'

const NAME_CHARS_MAX = 60

/** Creates the first workspace of a new server and its owner. Requires the link that the server printed. */
export function OwnerWelcome(): JSX.Element {
  const { config } = useBackend()
  const isOnline = useOnline()
  const session = useSession()
  const goOn = useGoOn()
  const ownerKey = useWelcomeKey((state) => state.ownerKey)
  const finish = async (): Promise<void> => {
    await goOn('/w')
    useWelcomeKey.setState({ ownerKey: undefined })
  }
  return (
    <EntryPage
      project={config.project.name}
      title={words.title}
      lead={words.lead}
      offline={isOnline ? undefined : words.offline}
    >
      {session.kind === 'active' ? (
        <>
          <p className="text-small text-muted">{words.signedInAs(session.user.email ?? session.user.id)}</p>
          <StartWorkspaceForm ownerKey={ownerKey} onStarted={finish} />
        </>
      ) : (
        <OwnerForm ownerKey={ownerKey ?? ''} onCreated={finish} />
      )}
    </EntryPage>
  )
}

function OwnerForm({
  ownerKey,
  onCreated,
}: {
  readonly ownerKey: string
  readonly onCreated: () => Promise<void>
}): JSX.Element {
  const { config, client } = useBackend()
  const rules = config.account.password
  const [workspace, setWorkspace] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const form = useEntryForm<'workspace' | 'name' | 'username' | 'new-password'>({
    check() {
      if (workspace.trim() === '') return { field: 'workspace', text: words.workspaceMissing }
      if (name.trim() === '') return { field: 'name', text: words.nameMissing }
      const address = emailProblemText(email)
      if (address !== undefined) return { field: 'username', text: address }
      const found = findNewPasswordProblem(password, rules)
      return found && { field: 'new-password', text: passwordMessages[found] }
    },
    async send() {
      const account = { email: email.trim(), password }
      await createOwner({ key: ownerKey, name: name.trim(), workspace: workspace.trim(), ...account })
      const { error } = await client.supabase.auth.signInWithPassword(account)
      if (error) throw error
      await onCreated()
    },
    answer: (failure) =>
      failure.kind === 'new_password' ? { field: 'new-password', text: passwordMessages[failure.reason] } : undefined,
  })
  return (
    <EntryForm
      form={form}
      submitLabel={words.create}
      failureActions={
        form.failure?.code === 'HF-AUTH-EXISTS' ? (
          <LinkButton size="sm" to="/sign-in/password" search={{ redirect: '/welcome', email: email.trim() }}>
            {signUpMessages.signIn}
          </LinkButton>
        ) : undefined
      }
    >
      <TextField
        label={words.workspace}
        name="workspace"
        autoComplete="organization"
        value={workspace}
        onChange={setWorkspace}
        maxLength={WORKSPACE_CHARS_MAX}
        autoFocus
        description={words.workspaceHelp}
        errorMessage={form.problemOf('workspace')}
      />
      <TextField
        label={words.name}
        name="name"
        autoComplete="name"
        value={name}
        onChange={setName}
        maxLength={NAME_CHARS_MAX}
        errorMessage={form.problemOf('name')}
      />
      <UsernameEmailField
        label={signUpMessages.email}
        value={email}
        onChange={setEmail}
        errorMessage={form.problemOf('username')}
      />
      <NewPasswordField
        label={signUpMessages.password}
        value={password}
        onChange={setPassword}
        rules={rules}
        errorMessage={form.problemOf('new-password')}
      />
    </EntryForm>
  )
}

function emailProblemText(email: string): string | undefined {
  const problem = findEmailProblem(email)
  return problem && (problem === 'missing' ? signUpMessages.emailMissing : signUpMessages.emailIncomplete)
}
