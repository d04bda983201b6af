import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2, Users } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { SavedQuery } from '@holdfast/protocol'
import {
  Button,
  Chip,
  ConfirmDialog,
  Dialog,
  FormDialog,
  IconButton,
  NoRows,
  Row,
  Rows,
  SearchField,
  TextField,
} from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { messageOf, request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { useChange } from '../../lib/use-change.ts'
import type { SqlTab } from './tabs.ts'

export const SAVED_KEY = ['sql-saved']

/** Saved queries: the operator's own and those that others share. */
export function SavedDialog({
  onOpen,
  onClose,
}: {
  readonly onOpen: (tab: Pick<SqlTab, 'title' | 'text' | 'savedId'>) => void
  readonly onClose: () => void
}): JSX.Element {
  const [search, setSearch] = useState('')
  const [error, setError] = useState<string>()
  const [renamed, setRenamed] = useState<SavedQuery>()
  const [deleted, setDeleted] = useState<SavedQuery>()
  const queries = useQuery({
    queryKey: SAVED_KEY,
    queryFn: ({ signal }) => request<{ queries: readonly SavedQuery[] }>('GET /sql/saved', { signal }),
  })
  const change = useChange('Saved', [SAVED_KEY])
  const open = async ({ id, name, isMine }: SavedQuery): Promise<void> => {
    try {
      const { text } = await request<{ text: string }>(`GET /sql/saved/${id}`)
      onOpen({ title: name, text, ...(isMine && { savedId: id }) })
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  if (renamed)
    return (
      <RenameDialog
        query={renamed}
        isPending={change.isPending}
        onClose={() => setRenamed(undefined)}
        onRename={(name) =>
          change.mutate(
            { target: `PATCH /sql/saved/${renamed.id}`, body: { name } },
            { onSuccess: () => setRenamed(undefined) },
          )
        }
      />
    )
  if (deleted) return <DeleteDialog query={deleted} onClose={() => setDeleted(undefined)} />
  return (
    <Dialog title="Saved queries" isOpen size="lg" onClose={onClose}>
      <div className="flex flex-col gap-3">
        <SearchField label="Search saved queries" value={search} onChange={setSearch} />
        {error === undefined ? null : (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <QueryState query={queries}>
          {({ queries: all }) => (
            <SavedList
              queries={all}
              words={search.trim().toLowerCase()}
              onOpen={(query) => void open(query)}
              onRename={setRenamed}
              onDelete={setDeleted}
              onShare={({ id, isShared }) =>
                change.mutate({ target: `PATCH /sql/saved/${id}`, body: { isShared: !isShared } })
              }
            />
          )}
        </QueryState>
      </div>
    </Dialog>
  )
}

type OnQuery = (query: SavedQuery) => void

function SavedList({
  queries,
  words,
  onOpen,
  onRename,
  onShare,
  onDelete,
}: {
  readonly queries: readonly SavedQuery[]
  readonly words: string
  readonly onOpen: OnQuery
  readonly onRename: OnQuery
  readonly onShare: OnQuery
  readonly onDelete: OnQuery
}): JSX.Element {
  const found = queries.filter(({ name, start }) => `${name}\n${start}`.toLowerCase().includes(words))
  return found.length === 0 ? (
    <NoRows>{words === '' ? 'Nothing is saved yet. Save names the query of a tab.' : 'No query matches.'}</NoRows>
  ) : (
    <Rows label="Saved queries">
      {found.map((query) => (
        <Saved
          key={query.id}
          query={query}
          onOpen={() => onOpen(query)}
          onRename={() => onRename(query)}
          onDelete={() => onDelete(query)}
          onShare={() => onShare(query)}
        />
      ))}
    </Rows>
  )
}

function Saved({
  query: { name, start, isShared, isMine, author, updatedAt },
  onOpen,
  onRename,
  onShare,
  onDelete,
}: {
  readonly query: SavedQuery
  readonly onOpen: () => void
  readonly onRename: () => void
  readonly onShare: () => void
  readonly onDelete: () => void
}): JSX.Element {
  const mayDelete = useHasRole('owner') || isMine
  return (
    <Row
      title={name}
      mark={isShared ? <Chip colour="blue">Shared</Chip> : null}
      actions={
        <>
          <Button size="sm" onPress={onOpen}>
            Open
          </Button>
          {isMine ? (
            <>
              <IconButton
                label={`Rename ${name}`}
                size="sm"
                icon={<Pencil size={14} aria-hidden />}
                onPress={onRename}
              />
              <IconButton
                label={isShared ? `Stop sharing ${name}` : `Share ${name}`}
                size="sm"
                icon={<Users size={14} aria-hidden />}
                onPress={onShare}
              />
            </>
          ) : null}
          {mayDelete ? (
            <IconButton label={`Delete ${name}`} size="sm" icon={<Trash2 size={14} aria-hidden />} onPress={onDelete} />
          ) : null}
        </>
      }
      below={<code className="line-clamp-2 font-mono text-mono whitespace-pre-wrap text-muted">{start}</code>}
    >
      {isMine ? 'Yours' : (author ?? 'A former operator')} · <TimeAgo at={updatedAt} />
    </Row>
  )
}

function DeleteDialog({
  query: { id, name, isShared },
  onClose,
}: {
  readonly query: SavedQuery
  readonly onClose: () => void
}): JSX.Element {
  const remove = useChange('Deleted', [SAVED_KEY])
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      isOpen
      isDanger
      confirmLabel="Delete"
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ target: `DELETE /sql/saved/${id}` }, { onSuccess: onClose })}
    >
      {isShared ? 'Other operators lose it, too.' : 'It cannot be brought back.'}
    </ConfirmDialog>
  )
}

function RenameDialog({
  query,
  isPending,
  onRename,
  onClose,
}: {
  readonly query: SavedQuery
  readonly isPending: boolean
  readonly onRename: (name: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(query.name)
  return (
    <FormDialog
      title="Rename query"
      submitLabel="Rename"
      isPending={isPending}
      isDisabled={name.trim() === ''}
      onSubmit={() => onRename(name.trim())}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={80} autoFocus />
    </FormDialog>
  )
}
