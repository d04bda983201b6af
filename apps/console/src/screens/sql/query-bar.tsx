import { BookMarked, History, Save } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button, Checkbox, FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { ConsoleError, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useMutation } from '@tanstack/react-query'
import { HistoryDialog } from './history-dialog.tsx'
import { SAVED_KEY, SavedDialog } from './saved-dialog.tsx'
import { nameTab, openInTab, type SqlTab, type SqlTabs } from './tabs.ts'

/** Saves the query of the chosen tab, and opens saved and earlier ones. */
export function QueryBar({
  state,
  tab,
  onChange,
}: {
  readonly state: SqlTabs
  readonly tab: SqlTab | undefined
  readonly onChange: (state: SqlTabs) => void
}): JSX.Element {
  const [dialog, setDialog] = useState<'history' | 'saved' | 'save'>()
  const close = (): void => setDialog(undefined)
  const open = (query: Pick<SqlTab, 'text'> & Partial<SqlTab>): void => {
    onChange(openInTab(state, query))
    close()
  }
  const save = useMutation({
    mutationFn: ({ savedId, text }: SqlTab) => request(`PATCH /sql/saved/${savedId}`, { body: { text } }),
    onSuccess: async () => {
      showToast({ text: 'Saved' })
      await queryClient.invalidateQueries({ queryKey: SAVED_KEY })
    },
    onError: (error) => {
      // Deleted since, also in another window: it is saved anew.
      if (error instanceof ConsoleError && error.code === 'query_unknown') setDialog('save')
      else showToast({ text: error.message })
    },
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        size="sm"
        icon={<Save size={14} aria-hidden />}
        isDisabled={(tab?.text ?? '').trim() === ''}
        isPending={save.isPending}
        onPress={() => (tab?.savedId === undefined ? setDialog('save') : save.mutate(tab))}
      >
        Save
      </Button>
      <Button size="sm" icon={<BookMarked size={14} aria-hidden />} onPress={() => setDialog('saved')}>
        Saved queries
      </Button>
      <Button size="sm" icon={<History size={14} aria-hidden />} onPress={() => setDialog('history')}>
        History
      </Button>
      {dialog === 'history' ? <HistoryDialog onOpen={(text) => open({ text })} onClose={close} /> : null}
      {dialog === 'saved' ? <SavedDialog onOpen={open} onClose={close} /> : null}
      {dialog === 'save' && tab ? (
        <SaveDialog
          tab={tab}
          onClose={close}
          onSaved={(title, savedId) => {
            onChange(nameTab(state, tab.id, { title, savedId }))
            close()
          }}
        />
      ) : null}
    </div>
  )
}

function SaveDialog({
  tab,
  onSaved,
  onClose,
}: {
  readonly tab: SqlTab
  readonly onSaved: (name: string, id: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState(/^Query \d+$/.test(tab.title) ? '' : tab.title)
  const [isShared, setShared] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      request<{ id: string }>('POST /sql/saved', { body: { name: name.trim(), text: tab.text, isShared } }),
    onSuccess: async ({ id }) => {
      showToast({ text: 'Saved' })
      onSaved(name.trim(), id)
      await queryClient.invalidateQueries({ queryKey: SAVED_KEY })
    },
  })
  return (
    <FormDialog
      title="Save query"
      submitLabel="Save"
      isPending={save.isPending}
      isDisabled={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={80} autoFocus />
      <Checkbox isSelected={isShared} onChange={setShared}>
        Share with all operators who run SQL
      </Checkbox>
      <FormError error={save.error} />
    </FormDialog>
  )
}
