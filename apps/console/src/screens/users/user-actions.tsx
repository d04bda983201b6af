import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { type JSX, useState } from 'react'
import {
  ConfirmDialog,
  Dialog,
  IconButton,
  Menu,
  MenuItem,
  MenuSeparator,
  MenuTrigger,
  showToast,
} from '@holdfast/workspace'
import { CopyLink } from '../../components/copy-link.tsx'
import { FormError } from '../../components/form-error.tsx'
import { messageOf, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { isBanned, type UserDetails } from './user-details.ts'
import { useUserChange } from './use-user-change.ts'

/** A hundred years, in the accounts API's format of durations. */
const FOREVER = '876000h'

type Asked = 'ban' | 'delete' | undefined

type LinkKind = 'magiclink' | 'support'

const LINK_TITLES: Readonly<Record<LinkKind, string>> = { magiclink: 'Sign-in link', support: 'Support link' }

/** Bans, deletes, and sends or creates links. */
export function UserActions({ details: { user } }: { readonly details: UserDetails }): JSX.Element {
  const [asked, setAsked] = useState<Asked>()
  const [link, setLink] = useState<{ readonly kind: LinkKind; readonly url: string }>()
  const unban = useUserChange(user.id, 'The ban was lifted')
  const recover = useUserChange(user.id, 'Recovery mail queued')
  const createLink = useMutation({
    mutationFn: (kind: LinkKind) => request<{ link: string }>(`POST /users/${user.id}/link`, { body: { kind } }),
    onSuccess: ({ link: url }, kind) => setLink({ kind, url }),
    onError: (error) => showToast({ text: messageOf(error) }),
  })
  const act = (action: string): void => {
    if (action === 'recover') recover.mutate({ target: `POST /users/${user.id}/recover` })
    else if (action === 'magiclink' || action === 'support') createLink.mutate(action)
    else if (action === 'unban') unban.mutate({ target: `PATCH /users/${user.id}`, body: { ban_duration: 'none' } })
    else setAsked(action as Asked)
  }
  return (
    <>
      <MenuTrigger>
        <IconButton label="Actions" icon={<Ellipsis size={18} aria-hidden />} />
        <Menu label="Actions">
          <MenuItem onAction={() => act('recover')}>Send recovery mail</MenuItem>
          <MenuItem onAction={() => act('magiclink')}>Create sign-in link…</MenuItem>
          <MenuItem onAction={() => act('support')}>Sign in as this user…</MenuItem>
          <MenuSeparator />
          <MenuItem onAction={() => act(isBanned(user) ? 'unban' : 'ban')}>
            {isBanned(user) ? 'Lift ban' : 'Ban…'}
          </MenuItem>
          <MenuItem onAction={() => act('delete')}>Delete…</MenuItem>
        </Menu>
      </MenuTrigger>
      {asked === 'ban' ? <Ban details={user} onClose={() => setAsked(undefined)} /> : null}
      {asked === 'delete' ? <Delete details={user} onClose={() => setAsked(undefined)} /> : null}
      {link === undefined ? null : (
        <Dialog title={LINK_TITLES[link.kind]} isOpen onClose={() => setLink(undefined)} size="md">
          <CopyLink link={link.url} label={LINK_TITLES[link.kind]}>
            {link.kind === 'support'
              ? `Open it in a private window to see what ${user.email ?? 'the user'} sees, with all their rights. The session ends after an hour. The user sees it in their sign-ins as support, and the audit log has it.`
              : `Whoever opens it is signed in as ${user.email ?? 'the user'}, without a time limit. It works once. Send it to the user only.`}
          </CopyLink>
        </Dialog>
      )}
    </>
  )
}

type Asking = { readonly details: UserDetails['user']; readonly onClose: () => void }

function Ban({ details: user, onClose }: Asking): JSX.Element {
  const ban = useUserChange(user.id, 'The user was banned')
  return (
    <ConfirmDialog
      title={`Ban ${user.email || user.id}?`}
      isOpen
      onClose={onClose}
      confirmLabel="Ban"
      isDanger
      isPending={ban.isPending}
      onConfirm={() =>
        ban.mutate({ target: `PATCH /users/${user.id}`, body: { ban_duration: FOREVER } }, { onSuccess: onClose })
      }
    >
      Their sessions end and their devices stop syncing. What is on a device and was not uploaded stays there until the
      ban is lifted.
      <FormError error={ban.error} />
    </ConfirmDialog>
  )
}

function Delete({ details: user, onClose }: Asking): JSX.Element {
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => request(`DELETE /users/${user.id}`),
    onSuccess: async () => {
      showToast({ text: 'The user was deleted' })
      await navigate({ to: '/users' })
      queryClient.removeQueries({ queryKey: ['user', user.id] })
      await queryClient.invalidateQueries({ queryKey: ['users'] })
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${user.email || user.id}?`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete"
      isDanger
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      The account and its sign-in methods are deleted. Rows that refer to it follow their foreign keys. This cannot be
      undone.
      <FormError error={remove.error} />
    </ConfirmDialog>
  )
}
