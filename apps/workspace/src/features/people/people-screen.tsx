import { useHasSynced } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { type JSX, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { EndedAccess } from '../../components/ended-access.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Select } from '../../components/select.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { useWorkspaces, type Workspace } from '../../lib/data/use-workspaces.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { inviteMessages, peopleMessages as words } from '../../messages/people.ts'
import { AccessSection } from './access-section.tsx'
import { InvitationsSection } from './invitations-section.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LinksSection } from './links-section.tsx'
import { MembersSection } from './members-section.tsx'
import { OnlineButton } from './online-button.tsx'
import { TeamsSection } from './teams-section.tsx'
import { usePeople } from './use-people.ts'

/** The members of a workspace with their roles and teams, and its invitations. */
export function PeopleScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/people' })
  const { in: chosen } = useSearch({ from: '/signed-in/w/$ws/people' })
  const { workspaces, isLoading } = useWorkspaces()
  const hasSynced = useHasSynced()
  const navigate = useNavigate()
  const current = useWorkspace()?.id
  const workspace = workspaces.find(({ id }) => id === (chosen ?? current)) ?? workspaces[0]
  if (!workspace)
    return (
      <Page title={words.title} width="reading">
        {isLoading || !hasSynced ? (
          <Skeleton rows={6} />
        ) : (
          <div className="flex flex-col gap-6">
            <EndedAccess />
            <EmptyState title={words.none} icon={<Users size={28} aria-hidden />} action={<HomeLink />}>
              {words.noneDetail}
            </EmptyState>
          </div>
        )}
      </Page>
    )
  const choice =
    workspaces.length > 1 ? (
      <Select
        label={words.workspace}
        className="max-w-sm"
        value={workspace.id}
        options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => void navigate({ to: '/w/$ws/people', params: { ws }, search: { in: id }, replace: true })}
      />
    ) : null
  return <WorkspacePeople key={workspace.id} workspace={workspace} choice={choice} />
}

function WorkspacePeople({
  workspace,
  choice,
}: {
  readonly workspace: Workspace
  readonly choice: JSX.Element | null
}): JSX.Element {
  const people = usePeople(workspace)
  const isOnline = useOnline()
  const [isInviting, setInviting] = useState(false)
  const { me, isAdmin } = people
  const isMember = me !== undefined && me.isActive && me.role !== 'guest'
  return (
    <Page
      title={words.title}
      width="reading"
      description={workspace.name}
      actions={
        isAdmin ? (
          <OnlineButton tone="primary" icon={<UserPlus size={16} aria-hidden />} onPress={() => setInviting(true)}>
            {inviteMessages.open}
          </OnlineButton>
        ) : null
      }
    >
      <div className="flex flex-col gap-9">
        {choice}
        {isOnline ? null : <Notice tone="warning" role="status" title={words.offline} />}
        {people.isLoading ? <Skeleton rows={6} /> : <MembersSection people={people} />}
        {isAdmin ? <InvitationsSection people={people} /> : null}
        {isAdmin && me ? <LinksSection people={people} role={me.role} /> : null}
        {isMember ? <TeamsSection people={people} /> : null}
        {isAdmin ? <AccessSection people={people} /> : null}
      </div>
      {isInviting && me ? <InviteDialog people={people} role={me.role} onClose={() => setInviting(false)} /> : null}
    </Page>
  )
}
