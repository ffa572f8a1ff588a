/** The logo shows two speech bubbles. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      fill="none"
      strokeWidth="3"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M4 6h17v11H11l-5 4v-4H4z" stroke="var(--logo-green, #2f7d6b)" />
      <path d="M25 13h3v11h-2v4l-5-4h-8v-3" stroke="var(--amber)" />
    </svg>
  )
}
