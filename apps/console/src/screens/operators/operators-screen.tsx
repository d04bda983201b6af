import { useMutation, useQuery } from '@tanstack/react-query'
import { Ellipsis, MailPlus, ShieldCheck } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { ListedInvitation, ListedOperator, OperatorRole } from '@holdfast/protocol'
import {
  Button,
  Chip,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  MenuTrigger,
  Page,
  Row,
  Rows,
  Section,
  showToast,
} from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { messageOf, request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useOperator } from '../../lib/session.ts'
import { InviteOperator } from './invite-operator.tsx'

interface Listed {
  readonly operators: readonly ListedOperator[]
  readonly invitations: readonly ListedInvitation[]
}

const KEY = ['operators']

/** Who may use the console. */
export function OperatorsScreen(): JSX.Element {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => request<Listed>('GET /operators', { signal }) })
  const [invited, setInvited] = useState<{ readonly email?: string } | undefined>()
  return (
    <Page
      title="Operators"
      width="reading"
      description="Viewers read, without personal data. Developers change the project. Owners also decide who is an operator."
      actions={
        <Button tone="primary" icon={<MailPlus size={16} aria-hidden />} onPress={() => setInvited({})}>
          Invite
        </Button>
      }
    >
      <QueryState query={list}>
        {({ operators, invitations }) => (
          <div className="flex flex-col gap-8">
            <Rows label="Operators">
              {operators.map((operator) => (
                <OperatorRow
                  key={operator.id}
                  operator={operator}
                  onRecover={() => setInvited({ email: operator.email })}
                />
              ))}
            </Rows>
            {invitations.length === 0 ? null : (
              <Section title="Open invitations">
                <Rows label="Open invitations">
                  {invitations.map((invitation) => (
                    <InvitationRow key={invitation.email} invitation={invitation} />
                  ))}
                </Rows>
              </Section>
            )}
          </div>
        )}
      </QueryState>
      {invited ? <InviteOperator recovered={invited.email} onClose={() => setInvited(undefined)} /> : null}
    </Page>
  )
}

function useChange() {
  return useMutation({
    mutationFn: ({ target, body }: { readonly target: string; readonly body?: unknown; readonly done: string }) =>
      request(target, { body }),
    onSuccess: async (_result, { done }) => {
      showToast({ text: done })
      await queryClient.invalidateQueries({ queryKey: KEY })
    },
    onError: (error) => showToast({ text: messageOf(error) }),
  })
}

const ROLES: readonly OperatorRole[] = ['viewer', 'developer', 'owner']

function OperatorRow({
  operator,
  onRecover,
}: {
  readonly operator: ListedOperator
  readonly onRecover: () => void
}): JSX.Element {
  const self = useOperator()
  const change = useChange()
  const target = `PATCH /operators/${operator.id}`
  const isSelf = operator.id === self.id
  return (
    <Row
      icon={<ShieldCheck size={18} aria-hidden />}
      isIconSpared
      title={operator.name}
      mark={
        <>
          <Chip colour={operator.role === 'owner' ? 'violet' : operator.role === 'developer' ? 'blue' : 'slate'}>
            {operator.role}
          </Chip>
          {operator.isDisabled ? <Chip colour="coral">disabled</Chip> : null}
          {operator.hasSecondFactor ? <Chip colour="green">second factor</Chip> : null}
        </>
      }
      actions={
        <MenuTrigger>
          <IconButton label={`Actions for ${operator.name}`} icon={<Ellipsis size={18} aria-hidden />} />
          <Menu label={`Actions for ${operator.name}`}>
            {ROLES.filter((role) => role !== operator.role).map((role) => (
              <MenuItem
                key={role}
                onAction={() => change.mutate({ target, body: { role }, done: `${operator.name} is ${role} now` })}
              >
                {`Make ${role}`}
              </MenuItem>
            ))}
            <MenuSeparator />
            <MenuItem onAction={onRecover}>Create recovery link…</MenuItem>
            <MenuItem
              onAction={() =>
                change.mutate({ target: `DELETE /operators/${operator.id}/sessions`, done: 'Sessions ended' })
              }
            >
              End sessions
            </MenuItem>
            {isSelf ? null : (
              <MenuItem
                onAction={() =>
                  change.mutate({
                    target,
                    body: { isDisabled: !operator.isDisabled },
                    done: operator.isDisabled ? `${operator.name} may sign in again` : `${operator.name} is disabled`,
                  })
                }
              >
                {operator.isDisabled ? 'Enable' : 'Disable'}
              </MenuItem>
            )}
          </Menu>
        </MenuTrigger>
      }
    >
      {operator.email} · last seen <TimeAgo at={operator.lastSeenAt} />
      {isSelf ? ' · you' : ''}
    </Row>
  )
}

function InvitationRow({ invitation }: { readonly invitation: ListedInvitation }): JSX.Element {
  const change = useChange()
  return (
    <Row
      title={invitation.email ?? ''}
      mark={<Chip colour="slate">{invitation.isRecovery ? 'recovery' : invitation.role}</Chip>}
      actions={
        <Button
          size="sm"
          isPending={change.isPending}
          onPress={() =>
            change.mutate({
              target: `DELETE /invitations/${encodeURIComponent(invitation.email ?? '')}`,
              done: 'The invitation was revoked',
            })
          }
        >
          Revoke
        </Button>
      }
    >
      Until {formatTime(invitation.expiresAt)}
    </Row>
  )
}
