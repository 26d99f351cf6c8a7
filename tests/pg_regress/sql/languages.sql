-- One message in each language, through a guard by default settings: the message; a copy with a word more at the front; a copy in another
-- spelling of the same words; a later message with other facts; something else.
CREATE TABLE texts (language text, kind text, body text);
INSERT INTO texts VALUES
('Chinese', 'message', '青山县图书馆新馆将于五月三日开放，馆内有自习座位六百个，藏书三十二万册，读者凭身份证即可免费办理借书证。'),
('Chinese', 'copy', '本报讯：青山县图书馆新馆将于五月三日开放，馆内有自习座位六百个，藏书三十二万册，读者凭身份证即可免费办理借书证。'),
('Chinese', 'spelling', '青山縣圖書館新館將於五月三日開放，館內有自習座位六百個，藏書三十二萬冊，讀者憑身份證即可免費辦理借書證。'),
('Chinese', 'update', '青山县图书馆新馆将于六月十日开放，馆内有自习座位八百个，藏书四十五万册，读者凭身份证即可免费办理借书证。'),
('Chinese', 'other', '受冷空气影响，今夜到明天本县大部分地区有小雨，北部山区气温下降五度，请菜农注意大棚保温。'),
('Japanese', 'message', '青山町の新しい図書館は五月三日に開館する。自習用の席が六百あり、蔵書は三十二万冊で、町民は身分証を見せれば無料で貸出券を作ることができる。'),
('Japanese', 'copy', '【町だより】青山町の新しい図書館は五月三日に開館する。自習用の席が六百あり、蔵書は三十二万冊で、町民は身分証を見せれば無料で貸出券を作ることができる。'),
('Japanese', 'spelling', '青山町の新しい図書館は、五月三日に開館する。自習用の席が六百あり、蔵書は三十二万冊で、町民は身分証を見せれば、無料で貸出券を作ることができる！'),
('Japanese', 'update', '青山町の新しい図書館は六月十日に開館する。自習用の席が八百あり、蔵書は四十五万冊で、町民は身分証を見せれば無料で貸出券を作ることができる。'),
('Japanese', 'other', '寒気の影響で、今夜から明日にかけて県内の広い範囲で雨が降り、山沿いでは気温が五度ほど下がる見込みなので、農家は作物の管理に注意してほしい。'),
('Korean', 'message', '청산군의 새 도서관이 5월 3일에 문을 연다. 열람석은 600석이고 장서는 32만 권이며, 주민은 신분증만 있으면 무료로 대출증을 만들 수 있다.'),
('Korean', 'copy', '[군청 소식] 청산군의 새 도서관이 5월 3일에 문을 연다. 열람석은 600석이고 장서는 32만 권이며, 주민은 신분증만 있으면 무료로 대출증을 만들 수 있다.'),
('Korean', 'spelling', normalize('청산군의 새 도서관이 5월 3일에 문을 연다. 열람석은 600석이고 장서는 32만 권이며, 주민은 신분증만 있으면 무료로 대출증을 만들 수 있다.', NFD)),
('Korean', 'update', '청산군의 새 도서관이 6월 10일에 문을 연다. 열람석은 800석이고 장서는 45만 권이며, 주민은 신분증만 있으면 무료로 대출증을 만들 수 있다.'),
('Korean', 'other', '찬 공기의 영향으로 오늘 밤부터 내일까지 군 대부분 지역에 비가 내리고 산간에서는 기온이 5도 떨어지겠으니 농가는 비닐하우스 관리에 주의해야 한다.'),
('Thai', 'message', 'ห้องสมุดแห่งใหม่ของอำเภอเขาเขียวจะเปิดในวันที่ 3 พฤษภาคม มีที่นั่งอ่านหนังสือ 600 ที่ และหนังสือ 320,000 เล่ม ประชาชนทำบัตรยืมหนังสือได้ฟรีเพียงแสดงบัตรประชาชน'),
('Thai', 'copy', 'ข่าวประชาสัมพันธ์: ห้องสมุดแห่งใหม่ของอำเภอเขาเขียวจะเปิดในวันที่ 3 พฤษภาคม มีที่นั่งอ่านหนังสือ 600 ที่ และหนังสือ 320,000 เล่ม ประชาชนทำบัตรยืมหนังสือได้ฟรีเพียงแสดงบัตรประชาชน'),
('Thai', 'spelling', 'ห้องสมุดเเห่งใหม่ของอำเภอเขาเขียวจะเปิดในวันที่ ๓ พฤษภาคม มีที่นั่งอ่านหนังสือ ๖๐๐ ที่ เเละหนังสือ ๓๒๐,๐๐๐ เล่ม ประชาชนทำบัตรยืมหนังสือได้ฟรีเพียงเเสดงบัตรประชาชน'),
('Thai', 'update', 'ห้องสมุดแห่งใหม่ของอำเภอเขาเขียวจะเปิดในวันที่ 10 มิถุนายน มีที่นั่งอ่านหนังสือ 800 ที่ และหนังสือ 450,000 เล่ม ประชาชนทำบัตรยืมหนังสือได้ฟรีเพียงแสดงบัตรประชาชน'),
('Thai', 'other', 'คืนนี้ถึงพรุ่งนี้จะมีฝนตกเกือบทั่วทั้งอำเภอ อุณหภูมิบนภูเขาจะลดลงห้าองศา ขอให้เกษตรกรดูแลพืชผักในโรงเรือนให้อบอุ่น'),
('Lao', 'message', 'ຫໍສະໝຸດແຫ່ງໃໝ່ຂອງເມືອງພູຂຽວຈະເປີດໃນວັນທີ 3 ພຶດສະພາ ມີບ່ອນນັ່ງອ່ານ 600 ບ່ອນ ແລະ ປຶ້ມ 320,000 ຫົວ ປະຊາຊົນສາມາດເຮັດບັດຢືມປຶ້ມໄດ້ໂດຍບໍ່ເສຍຄ່າ'),
('Lao', 'copy', 'ແຈ້ງການ: ຫໍສະໝຸດແຫ່ງໃໝ່ຂອງເມືອງພູຂຽວຈະເປີດໃນວັນທີ 3 ພຶດສະພາ ມີບ່ອນນັ່ງອ່ານ 600 ບ່ອນ ແລະ ປຶ້ມ 320,000 ຫົວ ປະຊາຊົນສາມາດເຮັດບັດຢືມປຶ້ມໄດ້ໂດຍບໍ່ເສຍຄ່າ'),
('Lao', 'spelling', 'ຫໍສະຫມຸດແຫ່ງໃຫມ່ຂອງເມືອງພູຂຽວຈະເປີດໃນວັນທີ ໓ ພຶດສະພາ ມີບ່ອນນັ່ງອ່ານ ໖໐໐ ບ່ອນ ແລະ ປຶ້ມ ໓໒໐,໐໐໐ ຫົວ ປະຊາຊົນສາມາດເຮັດບັດຢືມປຶ້ມໄດ້ໂດຍບໍ່ເສຍຄ່າ'),
('Lao', 'update', 'ຫໍສະໝຸດແຫ່ງໃໝ່ຂອງເມືອງພູຂຽວຈະເປີດໃນວັນທີ 10 ມິຖຸນາ ມີບ່ອນນັ່ງອ່ານ 800 ບ່ອນ ແລະ ປຶ້ມ 450,000 ຫົວ ປະຊາຊົນສາມາດເຮັດບັດຢືມປຶ້ມໄດ້ໂດຍບໍ່ເສຍຄ່າ'),
('Lao', 'other', 'ຄືນນີ້ຫາມື້ອື່ນຈະມີຝົນຕົກເກືອບທົ່ວເມືອງ ອຸນຫະພູມເທິງພູຈະຫຼຸດລົງຫ້າອົງສາ ຂໍໃຫ້ຊາວກະສິກອນເບິ່ງແຍງຜັກໃນເຮືອນຮົ່ມໃຫ້ອົບອຸ່ນ'),
('Khmer', 'message', 'បណ្ណាល័យថ្មីនៃស្រុកភ្នំខៀវនឹងបើកនៅថ្ងៃទី 3 ខែឧសភា មានកន្លែងអង្គុយអាន 600 កន្លែង និងសៀវភៅ 320,000 ក្បាល ប្រជាជនអាចធ្វើប័ណ្ណខ្ចីសៀវភៅដោយមិនគិតថ្លៃ'),
('Khmer', 'copy', 'សេចក្តីជូនដំណឹង៖ បណ្ណាល័យថ្មីនៃស្រុកភ្នំខៀវនឹងបើកនៅថ្ងៃទី 3 ខែឧសភា មានកន្លែងអង្គុយអាន 600 កន្លែង និងសៀវភៅ 320,000 ក្បាល ប្រជាជនអាចធ្វើប័ណ្ណខ្ចីសៀវភៅដោយមិនគិតថ្លៃ'),
('Khmer', 'spelling', 'បណ្ណាល័យថ្មីនៃស្រុកភ្នំខៀវនឹងបើកនៅថ្ងៃទី ៣ ខែឧសភា មានកន្លែងអង្គុយអាន ៦០០ កន្លែង និងសៀវភៅ ៣២០,០០០ ក្បាល ប្រជាជនអាចធ្វើប័ណ្ណខ្ចីសៀវភៅដោយមិនគិតថ្លៃ'),
('Khmer', 'update', 'បណ្ណាល័យថ្មីនៃស្រុកភ្នំខៀវនឹងបើកនៅថ្ងៃទី 10 ខែមិថុនា មានកន្លែងអង្គុយអាន 800 កន្លែង និងសៀវភៅ 450,000 ក្បាល ប្រជាជនអាចធ្វើប័ណ្ណខ្ចីសៀវភៅដោយមិនគិតថ្លៃ'),
('Khmer', 'other', 'យប់នេះដល់ថ្ងៃស្អែកនឹងមានភ្លៀងធ្លាក់ស្ទើរពេញស្រុក សីតុណ្ហភាពនៅតំបន់ភ្នំនឹងថយចុះប្រាំអង្សា សូមកសិករថែទាំបន្លែក្នុងផ្ទះសំណាញ់'),
('Burmese', 'message', 'တောင်စိမ်းမြို့နယ်၏ စာကြည့်တိုက်အသစ်ကို မေလ ၃ ရက်နေ့တွင် ဖွင့်လှစ်မည်ဖြစ်ပြီး စာဖတ်ထိုင်ခုံ ၆၀၀ နှင့် စာအုပ်ပေါင်း ၃၂၀၀၀၀ ရှိကာ မြို့နေလူထုသည် စာအုပ်ငှားကတ်ကို အခမဲ့ ပြုလုပ်နိုင်သည်။'),
('Burmese', 'copy', 'သတင်း - တောင်စိမ်းမြို့နယ်၏ စာကြည့်တိုက်အသစ်ကို မေလ ၃ ရက်နေ့တွင် ဖွင့်လှစ်မည်ဖြစ်ပြီး စာဖတ်ထိုင်ခုံ ၆၀၀ နှင့် စာအုပ်ပေါင်း ၃၂၀၀၀၀ ရှိကာ မြို့နေလူထုသည် စာအုပ်ငှားကတ်ကို အခမဲ့ ပြုလုပ်နိုင်သည်။'),
('Burmese', 'spelling', 'တောင်စိမ်းမြို့နယ်၏ စာကြည့်တိုက်အသစ်ကို မေလ 3 ရက်နေ့တွင် ဖွင့်လှစ်မည်ဖြစ်ပြီး စာဖတ်ထိုင်ခုံ 600 နှင့် စာအုပ်ပေါင်း 320000 ရှိကာ မြို့နေလူထုသည် စာအုပ်ငှားကတ်ကို အခမဲ့ ပြုလုပ်နိုင်သည်။'),
('Burmese', 'update', 'တောင်စိမ်းမြို့နယ်၏ စာကြည့်တိုက်အသစ်ကို ဇွန်လ ၁၀ ရက်နေ့တွင် ဖွင့်လှစ်မည်ဖြစ်ပြီး စာဖတ်ထိုင်ခုံ ၈၀၀ နှင့် စာအုပ်ပေါင်း ၄၅၀၀၀၀ ရှိကာ မြို့နေလူထုသည် စာအုပ်ငှားကတ်ကို အခမဲ့ ပြုလုပ်နိုင်သည်။'),
('Burmese', 'other', 'ယနေ့ညမှ နက်ဖြန်အထိ မြို့နယ်အနှံ့ မိုးရွာမည်ဖြစ်ပြီး တောင်ပေါ်ဒေသတွင် အပူချိန် ငါးဒီဂရီ ကျဆင်းမည်ဖြစ်၍ တောင်သူများ သီးနှံများကို ဂရုစိုက်ကြပါရန်။'),
('Arabic', 'message', 'تفتتح مكتبة الجبل الأخضر الجديدة أبوابها في 3 مايو، وفيها 600 مقعد للقراءة و320 ألف كتاب، ويستطيع كل ساكن أن يحصل على بطاقة الإعارة مجانا بعد إبراز هويته الشخصية.'),
('Arabic', 'copy', 'خبر عاجل: تفتتح مكتبة الجبل الأخضر الجديدة أبوابها في 3 مايو، وفيها 600 مقعد للقراءة و320 ألف كتاب، ويستطيع كل ساكن أن يحصل على بطاقة الإعارة مجانا بعد إبراز هويته الشخصية.'),
('Arabic', 'spelling', 'تَفتتح مكتبه الجبل الاخضر الجديده ابوابها فى ٣ مايو، وفيها ٦٠٠ مقعد للقراءة و٣٢٠ الف كتـــاب، ويستطيع كُلّ ساكن ان يحصل على بطاقه الاعاره مجانًا بعد ابراز هويته الشخصيه.'),
('Arabic', 'update', 'تفتتح مكتبة الجبل الأخضر الجديدة أبوابها في 10 يونيو، وفيها 800 مقعد للقراءة و450 ألف كتاب، ويستطيع كل ساكن أن يحصل على بطاقة الإعارة مجانا بعد إبراز هويته الشخصية.'),
('Arabic', 'other', 'تتأثر المنطقة الليلة وغدا بكتلة هوائية باردة يصاحبها مطر خفيف، وتنخفض الحرارة في الجبال خمس درجات، فعلى المزارعين تدفئة البيوت المحمية.'),
('Persian', 'message', 'کتابخانه تازه شهر سبزکوه روز ۳ اردیبهشت باز می‌شود. این کتابخانه ۶۰۰ صندلی مطالعه و ۳۲۰ هزار جلد کتاب دارد و شهروندان با نشان دادن کارت شناسایی رایگان عضو می‌شوند.'),
('Persian', 'copy', 'خبر روز: کتابخانه تازه شهر سبزکوه روز ۳ اردیبهشت باز می‌شود. این کتابخانه ۶۰۰ صندلی مطالعه و ۳۲۰ هزار جلد کتاب دارد و شهروندان با نشان دادن کارت شناسایی رایگان عضو می‌شوند.'),
('Persian', 'spelling', 'كتابخانۀ تازه شهر سبزكوه روز 3 ارديبهشت باز ميشود. اين كتابخانه 600 صندلي مطالعه و 320 هزار جلد كتاب دارد و شهروندان با نشان دادن كارت شناسايي رايگان عضو ميشوند.'),
('Persian', 'update', 'کتابخانه تازه شهر سبزکوه روز ۱۰ خرداد باز می‌شود. این کتابخانه ۸۰۰ صندلی مطالعه و ۴۵۰ هزار جلد کتاب دارد و شهروندان با نشان دادن کارت شناسایی رایگان عضو می‌شوند.'),
('Persian', 'other', 'امشب و فردا توده هوای سرد از استان می‌گذرد و در بیشتر مناطق باران می‌بارد. دما در کوهستان پنج درجه پایین می‌آید و کشاورزان باید گلخانه‌ها را گرم نگه دارند.'),
('Hebrew', 'message', 'הספרייה החדשה בגבעת הירק תיפתח ב-3 במאי. יש בה 600 מקומות קריאה ו-320 אלף ספרים, וכל תושב יכול לקבל כרטיס השאלה בחינם אם יציג תעודת זהות.'),
('Hebrew', 'copy', 'הודעה לציבור: הספרייה החדשה בגבעת הירק תיפתח ב-3 במאי. יש בה 600 מקומות קריאה ו-320 אלף ספרים, וכל תושב יכול לקבל כרטיס השאלה בחינם אם יציג תעודת זהות.'),
('Hebrew', 'spelling', 'הַספרייה החֲדשה בגִבעת הירק תיפָּתח ב-3 במאי. יש בה 600 מקומות קריאה ו-320 אֶלף ספרים, וכל תושב יכול לקבל כרטיס השאלה בחינם אם יציג תְּעוּדַת זֶהוּת.'),
('Hebrew', 'update', 'הספרייה החדשה בגבעת הירק תיפתח ב-10 ביוני. יש בה 800 מקומות קריאה ו-450 אלף ספרים, וכל תושב יכול לקבל כרטיס השאלה בחינם אם יציג תעודת זהות.'),
('Hebrew', 'other', 'הלילה ומחר יירד גשם קל ברוב אזורי המחוז, ובהרים תרד הטמפרטורה בחמש מעלות. החקלאים מתבקשים לחמם את החממות.'),
('Russian', 'message', 'Новая библиотека в Зелёной Горе откроется 3 мая. В ней 600 мест для чтения и 320 тысяч книг, и каждый житель сможет бесплатно получить читательский билет, если предъявит паспорт.'),
('Russian', 'copy', 'Новости района: новая библиотека в Зелёной Горе откроется 3 мая. В ней 600 мест для чтения и 320 тысяч книг, и каждый житель сможет бесплатно получить читательский билет, если предъявит паспорт.'),
('Russian', 'spelling', 'Новая библиотека в Зеленой Горе откро́ется 3 мая. В ней 600 мест для чтения и 320 тысяч книг, и каждый житель сможет бесплатно получить чита́тельский билет, если предъявит паспорт.'),
('Russian', 'update', 'Новая библиотека в Зелёной Горе откроется 10 июня. В ней 800 мест для чтения и 450 тысяч книг, и каждый житель сможет бесплатно получить читательский билет, если предъявит паспорт.'),
('Russian', 'other', 'Сегодня ночью и завтра в большинстве районов области пройдёт небольшой дождь, в горах похолодает на пять градусов, поэтому огородникам советуют утеплить теплицы.'),
('Hindi', 'message', 'हरित पर्वत नगर का नया पुस्तकालय 3 मई को खुलेगा। इसमें पढ़ने के लिए 600 कुर्सियाँ और 3 लाख 20 हज़ार हिन्दी पुस्तकें हैं, और हर नागरिक पहचान पत्र दिखाकर मुफ़्त सदस्य बन सकता है।'),
('Hindi', 'copy', 'ताज़ा समाचार: हरित पर्वत नगर का नया पुस्तकालय 3 मई को खुलेगा। इसमें पढ़ने के लिए 600 कुर्सियाँ और 3 लाख 20 हज़ार हिन्दी पुस्तकें हैं, और हर नागरिक पहचान पत्र दिखाकर मुफ़्त सदस्य बन सकता है।'),
('Hindi', 'spelling', 'हरित पर्वत नगर का नया पुस्तकालय ३ मई को खुलेगा। इसमें पढने के लिए ६०० कुर्सियां और ३ लाख २० हजार हिंदी पुस्तकें हैं, और हर नागरिक पहचान पत्र दिखाकर मुफ्त सदस्य बन सकता है।'),
('Hindi', 'update', 'हरित पर्वत नगर का नया पुस्तकालय 10 जून को खुलेगा। इसमें पढ़ने के लिए 800 कुर्सियाँ और 4 लाख 50 हज़ार हिन्दी पुस्तकें हैं, और हर नागरिक पहचान पत्र दिखाकर मुफ़्त सदस्य बन सकता है।'),
('Hindi', 'other', 'आज रात और कल ज़िले के अधिकतर इलाक़ों में हल्की बारिश होगी, पहाड़ों पर तापमान पाँच डिग्री गिरेगा, इसलिए किसान अपनी सब्ज़ियों को ढककर रखें।'),
('Vietnamese', 'message', 'Thư viện mới của huyện Hòa Sơn sẽ mở cửa ngày 3 tháng 5, có 600 chỗ ngồi đọc và 320 nghìn cuốn sách, trong đó có nhiều sách về sức khỏe; người dân làm thẻ mượn sách miễn phí khi xuất trình giấy tờ tùy thân.'),
('Vietnamese', 'copy', 'Tin huyện: Thư viện mới của huyện Hòa Sơn sẽ mở cửa ngày 3 tháng 5, có 600 chỗ ngồi đọc và 320 nghìn cuốn sách, trong đó có nhiều sách về sức khỏe; người dân làm thẻ mượn sách miễn phí khi xuất trình giấy tờ tùy thân.'),
('Vietnamese', 'spelling', 'Thư viện mới của huyện Hoà Sơn sẽ mở cửa ngày 3 tháng 5, có 600 chỗ ngồi đọc và 320 nghìn cuốn sách, trong đó có nhiều sách về sức khoẻ; người dân làm thẻ mượn sách miễn phí khi xuất trình giấy tờ tuỳ thân.'),
('Vietnamese', 'update', 'Thư viện mới của huyện Hòa Sơn sẽ mở cửa ngày 10 tháng 6, có 800 chỗ ngồi đọc và 450 nghìn cuốn sách, trong đó có nhiều sách về sức khỏe; người dân làm thẻ mượn sách miễn phí khi xuất trình giấy tờ tùy thân.'),
('Vietnamese', 'other', 'Đêm nay và ngày mai hầu hết các xã trong huyện có mưa nhỏ, vùng núi nhiệt độ giảm năm độ, bà con trồng rau cần che chắn nhà kính cẩn thận.'),
('Turkish', 'message', 'Yeşildağ ilçesinin yeni kütüphanesi 3 Mayıs günü açılıyor. İçinde 600 okuma koltuğu ve 320 bin kitap bulunan kütüphaneye ilçede ışık gören herkes kimliğini göstererek ücretsiz üye olabilir.'),
('Turkish', 'copy', 'İlçe haberleri: Yeşildağ ilçesinin yeni kütüphanesi 3 Mayıs günü açılıyor. İçinde 600 okuma koltuğu ve 320 bin kitap bulunan kütüphaneye ilçede ışık gören herkes kimliğini göstererek ücretsiz üye olabilir.'),
('Turkish', 'spelling', 'YEŞİLDAĞ İLÇESİNİN YENİ KÜTÜPHANESİ 3 MAYIS GÜNÜ AÇILIYOR. İÇİNDE 600 OKUMA KOLTUĞU VE 320 BİN KİTAP BULUNAN KÜTÜPHANEYE İLÇEDE IŞIK GÖREN HERKES KİMLİĞİNİ GÖSTEREREK ÜCRETSİZ ÜYE OLABİLİR.'),
('Turkish', 'update', 'Yeşildağ ilçesinin yeni kütüphanesi 10 Haziran günü açılıyor. İçinde 800 okuma koltuğu ve 450 bin kitap bulunan kütüphaneye ilçede ışık gören herkes kimliğini göstererek ücretsiz üye olabilir.'),
('Turkish', 'other', 'Bu gece ve yarın ilin büyük bölümünde hafif yağmur bekleniyor, dağlarda hava beş derece soğuyacak, çiftçilerin seralarını ısıtmaları gerekiyor.'),
('German', 'message', 'Die neue Bücherei in Grünberg öffnet am 3. Mai. Sie hat 600 Leseplätze und 320 000 Bücher, und jeder Bürger der Stadt erhält gegen Vorlage seines Ausweises kostenlos eine Büchereikarte.'),
('German', 'copy', 'Aus dem Rathaus: Die neue Bücherei in Grünberg öffnet am 3. Mai. Sie hat 600 Leseplätze und 320 000 Bücher, und jeder Bürger der Stadt erhält gegen Vorlage seines Ausweises kostenlos eine Büchereikarte.'),
('German', 'spelling', 'Die neue Buecherei in Gruenberg oeffnet am 3. Mai. Sie hat 600 Leseplaetze und 320 000 Buecher, und jeder Buerger der Stadt erhaelt gegen Vorlage seines Ausweises kostenlos eine Buechereikarte.'),
('German', 'update', 'Die neue Bücherei in Grünberg öffnet am 10. Juni. Sie hat 800 Leseplätze und 450 000 Bücher, und jeder Bürger der Stadt erhält gegen Vorlage seines Ausweises kostenlos eine Büchereikarte.'),
('German', 'other', 'Heute Nacht und morgen regnet es in den meisten Orten des Kreises leicht, in den Bergen wird es um fünf Grad kälter, Gärtner sollten ihre Gewächshäuser heizen.'),
('Greek', 'message', 'Η νέα βιβλιοθήκη του Πράσινου Βουνού ανοίγει στις 3 Μαΐου. Έχει 600 θέσεις ανάγνωσης και 320 χιλιάδες βιβλία, και κάθε κάτοικος της πόλης παίρνει δωρεάν κάρτα δανεισμού με την ταυτότητά του.'),
('Greek', 'copy', 'Νέα της πόλης: Η νέα βιβλιοθήκη του Πράσινου Βουνού ανοίγει στις 3 Μαΐου. Έχει 600 θέσεις ανάγνωσης και 320 χιλιάδες βιβλία, και κάθε κάτοικος της πόλης παίρνει δωρεάν κάρτα δανεισμού με την ταυτότητά του.'),
('Greek', 'spelling', 'Η ΝΕΑ ΒΙΒΛΙΟΘΗΚΗ ΤΟΥ ΠΡΑΣΙΝΟΥ ΒΟΥΝΟΥ ΑΝΟΙΓΕΙ ΣΤΙΣ 3 ΜΑΪΟΥ. ΕΧΕΙ 600 ΘΕΣΕΙΣ ΑΝΑΓΝΩΣΗΣ ΚΑΙ 320 ΧΙΛΙΑΔΕΣ ΒΙΒΛΙΑ, ΚΑΙ ΚΑΘΕ ΚΑΤΟΙΚΟΣ ΤΗΣ ΠΟΛΗΣ ΠΑΙΡΝΕΙ ΔΩΡΕΑΝ ΚΑΡΤΑ ΔΑΝΕΙΣΜΟΥ ΜΕ ΤΗΝ ΤΑΥΤΟΤΗΤΑ ΤΟΥ.'),
('Greek', 'update', 'Η νέα βιβλιοθήκη του Πράσινου Βουνού ανοίγει στις 10 Ιουνίου. Έχει 800 θέσεις ανάγνωσης και 450 χιλιάδες βιβλία, και κάθε κάτοικος της πόλης παίρνει δωρεάν κάρτα δανεισμού με την ταυτότητά του.'),
('Greek', 'other', 'Απόψε και αύριο θα πέσουν ασθενείς βροχές στο μεγαλύτερο μέρος του νομού, στα ορεινά η θερμοκρασία θα πέσει πέντε βαθμούς και οι αγρότες πρέπει να προσέξουν τα θερμοκήπια.'),
('English', 'message', 'The new library in Greenhill opens on 3 May. It has 600 reading places and 320 thousand books, and every resident of the town can get a library card free of charge by showing an identity card.'),
('English', 'copy', 'Town news: The new library in Greenhill opens on 3 May. It has 600 reading places and 320 thousand books, and every resident of the town can get a library card free of charge by showing an identity card.'),
('English', 'spelling', 'THE NEW LIBRARY IN GREENHILL OPENS ON 3 MAY. IT HAS 600 READING PLACES AND 320 THOUSAND BOOKS, AND EVERY RESIDENT OF THE TOWN CAN GET A LIBRARY CARD FREE OF CHARGE BY SHOWING AN IDENTITY CARD.'),
('English', 'update', 'The new library in Greenhill opens on 10 June. It has 800 reading places and 450 thousand books, and every resident of the town can get a library card free of charge by showing an identity card.'),
('English', 'other', 'Light rain is expected tonight and tomorrow in most of the county, it will be five degrees colder in the hills, and growers should heat their greenhouses.');

CREATE TABLE articles (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, language text, kind text, body text);
SELECT neardup.protect('articles', 'body', on_duplicate => 'skip');
-- one statement a language, so that every row meets those before it
INSERT INTO articles (language, kind, body) SELECT * FROM texts WHERE kind = 'message';
INSERT INTO articles (language, kind, body) SELECT * FROM texts WHERE kind <> 'message' ORDER BY language, kind;
SELECT t.language,
       bool_or(a.id IS NULL) FILTER (WHERE t.kind = 'copy') AS copy_goes,
       bool_or(a.id IS NULL) FILTER (WHERE t.kind = 'spelling') AS spelling_goes,
       bool_or(a.id IS NOT NULL) FILTER (WHERE t.kind = 'update') AS update_stays,
       bool_or(a.id IS NOT NULL) FILTER (WHERE t.kind = 'other') AS other_stays
FROM texts t LEFT JOIN articles a USING (language, kind) GROUP BY t.language ORDER BY t.language COLLATE "C";

-- what overlap and sketches see of two spellings
SELECT m.language, round(overlap_similarity(m.body, s.body, 'chars:4')::numeric, 2) AS overlap, sketch(m.body) && sketch(s.body) AS shares_a_key
FROM texts m JOIN texts s USING (language) WHERE m.kind = 'message' AND s.kind = 'spelling' ORDER BY m.language COLLATE "C";

-- five words, ten letters of a script without spaces
SELECT language, (tokens(body, 'shingles:5'))[1:2] AS tokens FROM texts WHERE kind = 'message' AND language IN ('English', 'Japanese', 'Thai') ORDER BY language COLLATE "C";

DROP TABLE articles, texts;
