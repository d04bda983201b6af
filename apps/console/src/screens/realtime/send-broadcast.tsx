import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button, Checkbox, FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'

interface Channel {
  readonly topic: string
  readonly isPrivate: boolean
}

/** Opens a dialog that sends a message to the members of a channel; absent for viewers. */
export function SendBroadcast({ channel }: { readonly channel?: Channel }): JSX.Element | null {
  const isDeveloper = useHasRole('developer')
  const [isOpen, setOpen] = useState(false)
  if (!isDeveloper) return null
  return (
    <>
      <Button icon={<Send size={16} aria-hidden />} onPress={() => setOpen(true)}>
        Send broadcast
      </Button>
      {isOpen ? <BroadcastDialog channel={channel} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function BroadcastDialog({
  channel: { topic: first, isPrivate: isFirstPrivate } = { topic: '', isPrivate: false },
  onClose,
}: {
  readonly channel: Channel | undefined
  readonly onClose: () => void
}): JSX.Element {
  const [topic, setTopic] = useState(first)
  const [isPrivate, setPrivate] = useState(isFirstPrivate)
  const [event, setEvent] = useState('test')
  const [payload, setPayload] = useState('{}')
  const send = useMutation({
    mutationFn: () => request('POST /realtime/broadcast', { body: { topic, isPrivate, event, payload } }),
    onSuccess: () => {
      showToast({ text: 'The broadcast was sent.' })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Send broadcast"
      submitLabel="Send"
      size="md"
      isPending={send.isPending}
      isDisabled={topic === '' || event === ''}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <TextField label="Topic" value={topic} onChange={setTopic} autoFocus autoComplete="off" maxLength={255} />
      <Checkbox isSelected={isPrivate} onChange={setPrivate}>
        Private channel
      </Checkbox>
      <TextField label="Event" value={event} onChange={setEvent} autoComplete="off" maxLength={255} />
      <TextField
        label="Payload"
        value={payload}
        onChange={setPayload}
        rows={5}
        isMono
        spellCheck={false}
        description="A JSON object. It is sent with the service key and kept in the audit log."
      />
      <FormError error={send.error} />
    </FormDialog>
  )
}
