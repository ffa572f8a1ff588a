import type { ReactNode } from 'react'

/** Drawn like the logo: even strokes, round joins. The words beside them, or the label of the button, say what they mean. */
const icon = (drawing: ReactNode) =>
  function Icon({ size = 22 }: { size?: number }) {
    return (
      <svg
        viewBox="0 0 24 24"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {drawing}
      </svg>
    )
  }

export const BackIcon = icon(<path d="M15 5l-7 7 7 7" />)
export const SendIcon = icon(<path d="M4.5 12h6M4.5 12L3 4.5 21 12 3 19.5z" />)
export const NewChatIcon = icon(<path d="M20 11V5H4v11h2v4l5-4h2M18 14v6M15 17h6" />)
export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />)
export const DownIcon = icon(<path d="M6 10l6 6 6-6" />)
export const WindowIcon = icon(<path d="M10 5H4v15h15v-6M14 4h6v6M20 4l-9 9" />)
export const CodeIcon = icon(<path d="M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14" />)
export const SwitchIcon = icon(<path d="M4 8h14l-4-4M20 16H6l4 4" />)
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />)
export const OfflineIcon = icon(<path d="M9 5h11v11h-1M15 16h-4l-5 4v-4H4V5h1M3 3l18 18" />)
export const ReplyIcon = icon(<path d="M9 6l-5 5 5 5M4 11h10a6 6 0 0 1 6 6v2" />)
export const EditIcon = icon(<path d="M4 20v-4L16 4l4 4L8 20zM13.5 6.5l4 4" />)
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5" />)
export const CheckIcon = icon(<path d="M5 12.5l5 5L19.5 7" />)
export const MoreIcon = icon(<path d="M6 12h.01M12 12h.01M18 12h.01" strokeWidth="2.8" />)
export const EmojiIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M8 14.5a4.8 4.8 0 0 0 8 0M9 9.5h.01M15 9.5h.01" />
  </>,
)
