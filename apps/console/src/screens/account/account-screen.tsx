import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { ListedSession } from '@holdfast/protocol'
import { Button, Chip, Page, PasswordField, Row, Rows, Section, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { queryClient, SESSION_KEY } from '../../lib/query-client.ts'
import { leaveSession, useOperator } from '../../lib/session.ts'
import { SecondFactor } from './second-factor.tsx'

/** The operator's own account. */
export function AccountScreen(): JSX.Element {
  const operator = useOperator()
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: () => request('DELETE /session'),
    onSuccess: async () => {
      await leaveSession()
      // Ends with the next sign-in: until then no screen is shown.
      void navigate({ to: '/', replace: true })
    },
  })
  return (
    <Page
      title="Your account"
      width="reading"
      description={`${operator.email}, ${operator.role}`}
      actions={
        <Button isPending={signOut.isPending} onPress={() => signOut.mutate()}>
          Sign out
        </Button>
      }
    >
      <div className="flex flex-col gap-8">
        <FormError error={signOut.error} />
        <NameForm key={operator.name} name={operator.name} />
        <PasswordChange />
        <SecondFactor />
        <OwnSessions />
      </div>
    </Page>
  )
}

function NameForm({ name: stored }: { readonly name: string }): JSX.Element {
  const [name, setName] = useState(stored)
  const save = useMutation({
    mutationFn: () => request('PATCH /me', { body: { name: name.trim() } }),
    onSuccess: async () => {
      showToast({ text: 'Saved' })
      await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    },
  })
  return (
    <Section title="Name">
      <form
        noValidate
        className="flex max-w-md flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField label="Name in the audit log and in lists" className="w-full" value={name} onChange={setName} />
        <FormError error={save.error} />
        <Button type="submit" isPending={save.isPending} isDisabled={name.trim() === '' || name.trim() === stored}>
          Save
        </Button>
      </form>
    </Section>
  )
}

function PasswordChange(): JSX.Element {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useMutation({
    mutationFn: () => request('PUT /me/password', { body: { current, password } }),
    onSuccess: async () => {
      setCurrent('')
      setPassword('')
      showToast({ text: 'Password changed. Your other sessions have ended.' })
      await queryClient.invalidateQueries({ queryKey: ['own-sessions'] })
    },
  })
  return (
    <Section title="Password">
      <form
        noValidate
        className="flex max-w-md flex-col items-start gap-3 *:w-full"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <PasswordField label="Current password" value={current} onChange={setCurrent} />
        <PasswordField
          label="New password"
          isNew
          description="At least 12 characters."
          value={password}
          onChange={setPassword}
        />
        <FormError error={save.error} />
        <Button
          type="submit"
          className="w-auto!"
          isPending={save.isPending}
          isDisabled={current === '' || password.length < 12}
        >
          Change password
        </Button>
      </form>
    </Section>
  )
}

function OwnSessions(): JSX.Element {
  const list = useQuery({
    queryKey: ['own-sessions'],
    queryFn: ({ signal }) =>
      request<{ sessions: readonly (ListedSession & { readonly isCurrent: boolean })[] }>('GET /me/sessions', {
        signal,
      }),
  })
  const end = useMutation({
    mutationFn: () => request('DELETE /me/sessions'),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['own-sessions'] }),
  })
  return (
    <Section
      title="Sessions"
      action={
        (list.data?.sessions.length ?? 0) > 1 ? (
          <Button size="sm" isPending={end.isPending} onPress={() => end.mutate()}>
            End the others
          </Button>
        ) : undefined
      }
    >
      <QueryState query={list} rows={2}>
        {({ sessions }) => (
          <Rows label="Sessions">
            {sessions.map((session) => (
              <Row
                key={session.id}
                title={session.userAgent ?? 'Unknown client'}
                mark={session.isCurrent ? <Chip colour="green">this one</Chip> : undefined}
              >
                {session.address ?? 'unknown address'} · used <TimeAgo at={session.usedAt} />
              </Row>
            ))}
          </Rows>
        )}
      </QueryState>
    </Section>
  )
}
