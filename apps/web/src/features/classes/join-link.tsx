'use client';

import { INVITE_PREFIX } from '@tilemark/core';
import { QRCodeSVG } from 'qrcode.react';
import { useEffect, useState } from 'react';
import { Command } from '@/ui/action';
import { Section } from '@/ui/page';

/** The link by which a class is joined, whose secret only the fragment of this page's address has. */
export function JoinLink() {
  const [link, setLink] = useState<string | null>(null);
  useEffect(() => {
    const { hash, origin } = location;
    if (hash.startsWith(`#${INVITE_PREFIX}`)) setLink(`${origin}/join${hash}`);
  }, []);
  if (!link) return null;
  return (
    <Section title="Join" id="link" note="bookmark this page: its address alone keeps the link">
      <div className="flex flex-wrap items-start gap-4">
        {/* White below it, whatever the theme: cameras need the contrast. */}
        <QRCodeSVG value={link} size={176} marginSize={3} title="The link as a QR code" />
        <div className="min-w-0 flex-1 basis-72">
          <Command label="the link" text={link} />
        </div>
      </div>
    </Section>
  );
}
