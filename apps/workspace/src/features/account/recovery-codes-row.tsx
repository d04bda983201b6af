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
import { Row } from '../../components/section.tsx'
import { unwrap } from './unwrap.ts'
import { type Action, useAction } from './use-action.ts'
import { useOnlineRead } from './use-online-read.ts'
import { copyText } from '../../components/copy-text.ts'

/** Recovery codes for a lost second factor: the number left, and a button for a new set. */
export function RecoveryCodesRow({
  hasCodes,
  canMake,
}: {
  readonly hasCodes: boolean
  /** The server allows creating them. */
  readonly canMake: boolean
}): JSX.Element | null {
  const [asking, setAsking] = useState<'renew' | 'remove'>()
  const codes = useRecoveryCodes(hasCodes)
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
              isPending={codes.making.isPending}
              onPress={() => {
                if (hasCodes) setAsking('renew')
                else void codes.make()
              }}
            >
              {hasCodes ? words.recoveryRenew : words.recoveryGet}
            </ActionButton>
          ) : null}
          {hasCodes ? (
            <ActionButton
              size="sm"
              aria-label={words.removeNamed(words.recoveryTitle)}
              isPending={codes.removal.isPending}
              onPress={() => setAsking('remove')}
            >
              {accountMessages.remove}
            </ActionButton>
          ) : null}
        </>
      }
      below={<FailureText failure={codes.making.failure ?? codes.removal.failure} />}
    >
      {codes.left === undefined ? words.recoveryNone : words.recoveryLeft(codes.left.remaining, codes.left.total)}
      <ConfirmDialog
        title={asking === 'remove' ? words.removeFactorTitle(words.recoveryTitle) : words.recoveryRenewTitle}
        isOpen={asking !== undefined}
        onClose={() => setAsking(undefined)}
        isDanger
        confirmLabel={asking === 'remove' ? accountMessages.remove : words.recoveryRenew}
        onConfirm={() => {
          setAsking(undefined)
          void (asking === 'remove' ? codes.remove() : codes.make())
        }}
      >
        <p>{words.recoveryRenewDetail}</p>
      </ConfirmDialog>
      {codes.made === undefined ? null : <CodesDialog codes={codes.made} onClose={codes.forget} />}
    </Row>
  )
}

interface RecoveryCodes {
  /** Number of codes left; `undefined`: none exist, or not read yet. */
  readonly left: { readonly remaining: number; readonly total: number } | undefined
  /** A new set, until the user has seen it. */
  readonly made: readonly string[] | undefined
  readonly making: Action
  readonly removal: Action
  make(): Promise<void>
  remove(): Promise<void>
  forget(): void
}

/** @param hasCodes - an existing set will be replaced */
function useRecoveryCodes(hasCodes: boolean): RecoveryCodes {
  const { supabase, reload } = useAccount()
  const { recoveryCodes } = supabase.auth.mfa
  const making = useAction()
  const removal = useAction()
  const [made, setMade] = useState<readonly string[]>()
  const status = useOnlineRead(
    useCallback(async () => {
      const answer = await recoveryCodes.getStatus()
      // The user has not created any yet.
      return codeOf(answer.error) === 'mfa_factor_not_found' ? undefined : unwrap(answer)
    }, [recoveryCodes]),
  )
  return {
    left: status.state.kind === 'ready' && status.state.error === undefined ? status.state.value : undefined,
    made,
    making,
    removal,
    async make() {
      await making.run(async () => {
        const answer = hasCodes ? await recoveryCodes.regenerate() : await recoveryCodes.generate()
        setMade(unwrap(answer).codes)
        await Promise.all([reload(), status.reload()])
      })
    },
    async remove() {
      const isGone = await removal.run(async () => {
        unwrap(await recoveryCodes.unenroll())
        await Promise.all([reload(), status.reload()])
      })
      if (isGone) showToast({ text: words.factorRemoved(words.recoveryTitle) })
    },
    forget: () => setMade(undefined),
  }
}

/** Shows a new set once. */
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
      // The codes are never shown again, so a press outside does not close the dialog.
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
          <Button
            size="sm"
            icon={<Copy size={14} aria-hidden />}
            onPress={() => void copyText(text, words.recoveryCopied, words.notCopied)}
          >
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
