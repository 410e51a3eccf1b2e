"""Takes mail for whomever by SMTP (RFC 5321), as far as a client without a password goes, and sends none on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from tests.arrivals import Arrivals


@dataclass(slots=True)
class MailServer:
    port: int = 0
    mails: Arrivals[EmailMessage] = field(default_factory=Arrivals)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail of a test\r\n")
        async for line in reader:
            match line.split(b" ")[0].strip().upper():
                case b"DATA":
                    writer.write(b"354 go on\r\n")
                    content = await reader.readuntil(b"\r\n.\r\n")
                    self.mails.append(_mail(content.removesuffix(b".\r\n")))
                    writer.write(b"250 taken\r\n")
                case b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                case b"EHLO" | b"HELO" | b"MAIL" | b"RCPT" | b"RSET" | b"NOOP":
                    writer.write(b"250 yes\r\n")
                case _:
                    writer.write(b"502 no\r\n")
        writer.close()


def _mail(content: bytes) -> EmailMessage:
    return message_from_bytes(content.replace(b"\r\n..", b"\r\n."), policy=policy.default)


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    mail = MailServer()
    async with await asyncio.start_server(mail.take, "127.0.0.1", 0) as server:
        mail.port = server.sockets[0].getsockname()[1]
        yield mail
