import { Copy, Download, LifeBuoy } from 'lucide-react'
import { type JSX, useCallback, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { accountMessages } from '../../messages/account.ts'
import { securityMessages as words } from '../../messages/account-security.ts'
import { useAccount } from './account-context.tsx'
import { codeOf } from './account-failure.ts'
import { ActionButton } from './action-button.tsx'
import { FailureText } from './failure-text.tsx'
import { Row } from './section.tsx'
import { unwrap } from './unwrap.ts'
import { useAction } from './use-action.ts'
import { useOnlineRead } from './use-online-read.ts'

/** The codes for the day on which the second step is lost: how many are left, and a new set. */
export function RecoveryCodesRow({
  hasCodes,
  canMake,
}: {
  readonly hasCodes: boolean
  /** The server lets people make them. */
  readonly canMake: boolean
}): JSX.Element | null {
  const { supabase, reload } = useAccount()
  const action = useAction()
  const removal = useAction()
  const [asking, setAsking] = useState<'renew' | 'remove'>()
  const [codes, setCodes] = useState<readonly string[]>()
  const status = useOnlineRead(
    useCallback(async () => {
      const answer = await supabase.auth.mfa.recoveryCodes.getStatus()
      // Nobody has made any yet.
      return codeOf(answer.error) === 'mfa_factor_not_found' ? undefined : unwrap(answer)
    }, [supabase]),
  )
  const left = status.state.kind === 'ready' ? status.state.value : undefined

  const remove = async (): Promise<void> => {
    setAsking(undefined)
    const isGone = await removal.run(async () => {
      unwrap(await supabase.auth.mfa.recoveryCodes.unenroll())
      await Promise.all([reload(), status.reload()])
    })
    if (isGone) showToast({ text: words.factorRemoved(words.recoveryTitle) })
  }
  const make = async (): Promise<void> => {
    setAsking(undefined)
    await action.run(async () => {
      const answer = hasCodes
        ? await supabase.auth.mfa.recoveryCodes.regenerate()
        : await supabase.auth.mfa.recoveryCodes.generate()
      setCodes(unwrap(answer).codes)
      await Promise.all([reload(), status.reload()])
    })
  }
  if (!hasCodes && !canMake) return null
  return (
    <Row
      icon={<LifeBuoy size={18} aria-hidden />}
      title={words.recoveryTitle}
      actions={
        <>
          {canMake ? (
            <ActionButton
              size="sm"
              isPending={action.isPending}
              onPress={() => {
                if (hasCodes) setAsking('renew')
                else void make()
              }}
            >
              {hasCodes ? words.recoveryRenew : words.recoveryGet}
            </ActionButton>
          ) : null}
          {hasCodes ? (
            <ActionButton
              size="sm"
              aria-label={words.removeNamed(words.recoveryTitle)}
              isPending={removal.isPending}
              onPress={() => setAsking('remove')}
            >
              {accountMessages.remove}
            </ActionButton>
          ) : null}
        </>
      }
      below={<FailureText failure={action.failure ?? removal.failure} />}
    >
      {left === undefined ? words.recoveryNone : words.recoveryLeft(left.remaining, left.total)}
      <ConfirmDialog
        title={asking === 'remove' ? words.removeFactorTitle(words.recoveryTitle) : words.recoveryRenewTitle}
        isOpen={asking !== undefined}
        onClose={() => setAsking(undefined)}
        isDanger
        confirmLabel={asking === 'remove' ? accountMessages.remove : words.recoveryRenew}
        onConfirm={() => void (asking === 'remove' ? remove() : make())}
      >
        <p>{words.recoveryRenewDetail}</p>
      </ConfirmDialog>
      {codes === undefined ? null : <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Row>
  )
}

/** Shows a new set, once. */
function CodesDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}): JSX.Element {
  const { config } = useBackend()
  const shown = codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'))
  const text = `${words.recoveryFile(config.project.name)}\n\n${shown.join('\n')}\n`
  return (
    <Dialog
      title={words.recoveryTitle}
      isOpen
      // They are never shown again: a press beside the dialog does not close it.
      role="alertdialog"
      onClose={onClose}
      actions={
        <Button tone="primary" onPress={onClose}>
          {words.recoveryKept}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{words.recoveryKeep}</p>
        <ul
          aria-label={words.recoveryLabel}
          className="grid gap-x-6 gap-y-1.5 rounded-lg tablet:grid-cols-2 bg-sunken px-4 py-3 font-mono text-mono select-text"
        >
          {shown.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<Copy size={14} aria-hidden />} onPress={() => void copy(text)}>
            {words.recoveryCopy}
          </Button>
          <Button
            size="sm"
            icon={<Download size={14} aria-hidden />}
            onPress={() => saveFile(`${words.recoveryFile(config.project.name)}.txt`, text, 'text/plain')}
          >
            {words.recoveryDownload}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ text: words.recoveryCopied })
  } catch {
    // The browser's refusal, and what to do instead; the codes stay on the screen.
    showToast({ text: words.notCopied })
  }
}
