/** How far something is: a bar in parts, each with a colour, of a whole. */
export function PartsBar({
  label,
  text,
  parts,
  whole,
}: {
  label: string;
  /** What it says, in words. */
  text: string;
  parts: readonly (readonly [color: string, size: number])[];
  whole: number;
}) {
  const most = Math.max(1e-9, whole);
  const done = parts.reduce((sum, [, size]) => sum + size, 0);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((100 * done) / most)}
      aria-valuetext={text}
      className="flex h-2 overflow-hidden bg-sunken"
    >
      {parts.map(([color, size]) => (
        <span
          key={color}
          className={`${color} transition-[width] duration-500`}
          style={{ width: `${(100 * size) / most}%` }}
        />
      ))}
    </div>
  );
}
