import { ImageUp, Trash2 } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { prepareLogo, UnusableLogo } from '../../lib/logo.ts'
import { useWorkspaceLogo } from '../../lib/records/use-workspace-logo.ts'
import type { Workspace } from '../../lib/records/use-workspace.ts'
import { workspaceMessages as words } from '../../messages/workspace.ts'

/** The logo for printed records and views. Owners and admins choose it, even offline. */
export function LogoSection({
  workspace,
  mayChange,
}: {
  readonly workspace: Workspace
  readonly mayChange: boolean
}): JSX.Element | null {
  const logo = useWorkspaceLogo()
  const writer = useRecordWriter()
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  if (logo === undefined || (logo === null && !mayChange)) return null
  const set = async (next: string | null): Promise<void> => {
    setProblem(undefined)
    await writer.writeOrTell({
      label: words.changedLogo,
      changes: [{ kind: 'update', table: 'hf_workspaces', id: workspace.id, values: { logo: next }, before: { logo } }],
    })
  }
  const take = async (file: File): Promise<void> => {
    try {
      await set(await prepareLogo(file))
    } catch (error) {
      if (!(error instanceof UnusableLogo)) throw error
      setProblem(words.logoProblems[error.reason])
    }
  }
  return (
    <section aria-labelledby="logo" className="flex flex-col items-start gap-2">
      <h2 id="logo" className="text-body font-medium">
        {words.logo}
      </h2>
      {logo === null ? null : (
        // Printed on white.
        <img
          src={logo}
          alt={words.logoOf(workspace.name)}
          style={{ colorScheme: 'light' }}
          className="max-h-24 max-w-64 rounded-md border border-border bg-bg object-contain p-2"
        />
      )}
      {mayChange ? (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<ImageUp size={16} aria-hidden />} onPress={() => input.current?.click()}>
            {logo === null ? words.addLogo : words.replaceLogo}
          </Button>
          {logo === null ? null : (
            <Button size="sm" icon={<Trash2 size={16} aria-hidden />} onPress={() => void set(null)}>
              {words.removeLogo}
            </Button>
          )}
        </div>
      ) : null}
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        tabIndex={-1}
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void take(file)
          target.value = '' // the same file may be chosen again
        }}
      />
      <p className="text-small text-muted">{words.logoDetail}</p>
      {problem === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {problem}
        </p>
      )}
    </section>
  )
}
