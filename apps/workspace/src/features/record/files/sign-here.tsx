import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { lateContent } from '../../../components/late-content.tsx'
import { checklistMessages } from '../../../messages/checklist.ts'
import { fileMessages as words } from '../../../messages/files.ts'

/** Loaded when the user signs. */
const { Content: SignatureCanvas } = lateContent(async () => (await import('../signature-canvas.tsx')).SignatureCanvas)

/** A button that opens the field for a signature of a record that is not created yet. */
export function SignHere({
  isSigned,
  onSign,
}: {
  readonly isSigned: boolean
  /** Gets the signature, named after the signer. */
  readonly onSign: (image: File) => void
}): JSX.Element {
  const [isSigning, setSigning] = useState(false)
  if (!isSigning) {
    return (
      <Button size="sm" className="self-start" onPress={() => setSigning(true)}>
        {isSigned ? checklistMessages.signAgain : words.sign}
      </Button>
    )
  }
  return (
    <div className="flex max-w-xl flex-col gap-3">
      <SignatureCanvas
        onSign={async ({ image, name }) => {
          onSign(new File([image], name === '' ? checklistMessages.signature : name, { type: image.type }))
          setSigning(false)
          await Promise.resolve()
        }}
      />
      <Button tone="quiet" className="self-start" onPress={() => setSigning(false)}>
        {words.cancel}
      </Button>
    </div>
  )
}
